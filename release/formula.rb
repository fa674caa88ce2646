class Citewell < Formula
  desc "{{.Summary}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "{{.Licence}}"
{{range .Archives}}
  on_{{.System}} do
    on_{{.CPU}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
  end
{{end}}
  def install
    bin.install "citewell"
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/citewell.bash" => "citewell"
    zsh_completion.install "completions/_citewell"
    fish_completion.install "completions/citewell.fish"
    doc.install "README.md", "NOTICE", "THIRD_PARTY_LICENSES"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/citewell version")
    assert_match "Key findings", shell_output("#{bin}/citewell demo")
  end
end
