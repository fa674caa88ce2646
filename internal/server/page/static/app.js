// What the pages do without a reload. Every link and form that is caught here works
// without it, and is followed as it is where anything goes wrong.

const byID = (id) => document.getElementById(id);
const say = (words) => { const line = byID('said'); if (line) line.textContent = words; };

// part gets a part of a page, parsed: text never becomes elements here.
function part(address, method = 'GET') {
  return new Promise((resolve, reject) => {
    const ask = new XMLHttpRequest();
    ask.open(method, address);
    ask.responseType = 'document';
    ask.timeout = 30000;
    ask.onload = () => {
      const found = ask.status === 200 && ask.response && ask.response.body.firstElementChild;
      found ? resolve(document.adoptNode(found)) : reject(ask.status);
    };
    ask.onerror = ask.ontimeout = () => reject(0);
    ask.send();
  });
}

// --- the citation pane

const reading = document.querySelector('.reading[data-run]');
const run = reading && reading.dataset.run;
let opening = 0;

function mark(pane) {
  for (const e of document.querySelectorAll('.here')) e.classList.remove('here');
  if (!pane) return;
  for (const e of document.querySelectorAll(`.said[data-f="${+pane.dataset.f + 1}"]`)) e.classList.add('here');
  const chip = chipOf(pane);
  if (chip) chip.classList.add('here');
}

function chipOf(pane) {
  return byID('m' + pane.dataset.k) ||
    document.querySelector(`.said[data-f="${+pane.dataset.f + 1}"] a.mark, .said[data-f="${+pane.dataset.f + 1}"] + .unmarked a.mark`);
}

function settle(pane) {
  const body = pane.querySelector('.pane-body');
  const cited = byID('cite');
  if (body && cited) body.scrollTop += cited.getBoundingClientRect().top - body.getBoundingClientRect().top - body.clientHeight / 3;
}

async function openCitation(k, address, push) {
  const turn = ++opening;
  let news;
  try {
    news = await part(`/runs/${run}/part/c/${k}`);
  } catch {
    location.href = address;
    return;
  }
  if (turn !== opening) return;
  let pane = byID('pane');
  if (!pane) {
    pane = document.createElement('aside');
    pane.id = 'pane';
    pane.className = 'pane new';
    pane.setAttribute('aria-label', 'Citation');
    reading.append(pane);
  }
  pane.replaceChildren(news);
  reading.classList.add('open');
  if (push) history.pushState({ k }, '', `/runs/${run}/c/${k}#cite`);
  mark(news);
  settle(news);
  byID('pane-title').focus({ preventScroll: true });
  say(news.dataset.say);
}

function closeCitation(push) {
  opening++;
  const pane = byID('pane');
  if (!pane) return;
  const chip = chipOf(pane.firstElementChild);
  pane.remove();
  reading.classList.remove('open');
  mark(null);
  if (push) history.pushState({}, '', `/runs/${run}`);
  if (chip) chip.focus({ preventScroll: true });
}

if (reading) {
  const pane = byID('pane');
  if (pane) {
    mark(pane.firstElementChild);
    addEventListener('load', () => requestAnimationFrame(() => { // after the address has scrolled to the words
      const chip = chipOf(pane.firstElementChild);
      if (chip) chip.scrollIntoView({ block: 'center' });
      settle(pane.firstElementChild);
    }));
  }
  addEventListener('popstate', () => {
    const k = location.pathname.match(/\/c\/(\d+)$/);
    k ? openCitation(k[1], location.href, false) : closeCitation(false);
  });
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href]');
  if (!link || !reading || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const cited = new URL(link.href).pathname.match(/^\/runs\/([^/]+)\/c\/(\d+)$/);
  const pane = byID('pane');
  if (cited && cited[1] === run) {
    event.preventDefault();
    if (pane && pane.firstElementChild.dataset.k === cited[2] && !pane.contains(link)) {
      link.scrollIntoView({ block: 'center' });
      settle(pane.firstElementChild);
      return;
    }
    openCitation(cited[2], link.href, true);
  } else if (link.dataset.close !== undefined) {
    event.preventDefault();
    closeCitation(true);
  } else if (link.dataset.back !== undefined) {
    event.preventDefault();
    const chip = chipOf(pane.firstElementChild);
    if (chip) { chip.scrollIntoView({ block: 'center' }); chip.focus({ preventScroll: true }); }
  }
});

// --- forms

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (form.dataset.part) {
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    try {
      const news = await part(form.dataset.part, 'POST');
      byID(form.dataset.into).replaceWith(news);
      const again = news.querySelector('.again');
      if (again) say(again.textContent);
    } catch {
      form.removeAttribute('data-part');
      form.submit();
    }
  }
});

// --- files: one after the other, each with how far it is; what became of it comes from the server

document.addEventListener('submit', async (event) => {
  const form = event.target, files = form.dataset.upload && [...form.querySelector('input[type=file]').files];
  if (!files || !files.length) return;
  event.preventDefault();
  const list = document.createElement('ul'), button = form.querySelector('button');
  list.className = 'plain';
  const rows = files.map((file) => {
    const row = document.createElement('li'), name = document.createElement('strong'), far = document.createElement('progress'), what = document.createElement('span');
    row.className = 'outcome-row';
    name.textContent = file.name;
    name.dir = 'auto';
    far.max = 1;
    far.value = 0;
    far.setAttribute('aria-label', file.name);
    what.textContent = 'waits';
    row.append(name, ' ', far, ' ', what);
    list.append(row);
    return row;
  });
  const done = document.createElement('li'); // there from the beginning, so that nothing moves at the end
  done.className = 'outcome-row';
  done.textContent = `${files.length} on the way`;
  list.append(done);
  byID('added').replaceChildren(list);
  byID('none')?.setAttribute('hidden', '');
  button.disabled = true;
  let added = 0;
  for (const [i, file] of files.entries()) added += await send(form.dataset.upload, file, rows[i]);
  button.disabled = false;
  form.reset();
  const all = document.createElement('a');
  all.href = '/library';
  all.textContent = 'Show them in the list';
  done.replaceChildren(`${added} of ${files.length} added. `, all);
  say(`${added} of ${files.length} added.`);
});

// send sends a file, and says whether the library has it then.
function send(address, file, row) {
  const far = row.querySelector('progress'), what = row.querySelector('span');
  return new Promise((resolve) => {
    const ask = new XMLHttpRequest(), body = new FormData();
    body.append('file', file);
    ask.open('POST', address);
    ask.responseType = 'document';
    what.textContent = 'is sent';
    ask.upload.onprogress = (e) => { if (e.lengthComputable) far.value = e.loaded / e.total; };
    ask.upload.onload = () => { far.value = 1; what.textContent = 'is read'; };
    ask.onload = () => {
      const found = ask.response && ask.response.querySelector(ask.status === 200 ? '.outcome-row' : 'h1');
      if (found && ask.status === 200) {
        const named = found.querySelector('strong');
        if (!named) found.prepend(row.querySelector('strong'), ' ');
        row.replaceWith(document.adoptNode(found));
        resolve(found.querySelector('a') ? 1 : 0);
        return;
      }
      failed(found ? found.textContent : `the server answered ${ask.status}`);
    };
    const failed = (why) => { far.remove(); what.textContent = `not added: ${why}`; resolve(0); };
    ask.onerror = () => failed('the server does not answer, or took no more of it');
    ask.send(body);
  });
}

// --- copying

async function copy(words, html) {
  try {
    if (html && window.ClipboardItem) {
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': new Blob([words], { type: 'text/plain' }), 'text/html': new Blob([html], { type: 'text/html' }) })]);
    } else {
      await navigator.clipboard.writeText(words);
    }
  } catch { // no secure context: by the page's own selection
    const box = document.createElement('textarea');
    box.value = words;
    box.className = 'spoken';
    document.body.append(box);
    box.select();
    document.execCommand('copy');
    box.remove();
  }
  say('Copied');
}

const escaped = (s) => s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

// reportWords is the report as plain text and as HTML, with its sources by number.
function reportWords() {
  const sources = [...document.querySelectorAll('.source')].map((s) => {
    const live = s.querySelector('a[rel~="noreferrer"]');
    return { title: s.querySelector('h3').textContent.trim(), url: live ? live.href : '' };
  });
  const body = byID('report').cloneNode(true);
  for (const glyph of body.querySelectorAll('svg')) glyph.remove();
  for (const chip of body.querySelectorAll('a.mark')) chip.replaceWith(chip.textContent);
  for (const e of body.querySelectorAll('*')) for (const name of e.getAttributeNames()) if (name !== 'href') e.removeAttribute(name);
  const title = document.querySelector('h1').textContent;
  const list = sources.map((s) => `${s.title} ${s.url}`.trim());
  return [`${title}\n\n${byID('report').innerText}\n\n${list.join('\n')}\n`,
    `<h1>${escaped(title)}</h1>${body.innerHTML}<ol>${sources.map((s) => `<li>${escaped(s.title)} ${escaped(s.url)}</li>`).join('')}</ol>`];
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.dataset.copy !== undefined) copy(button.dataset.copy);
  if (button.dataset.copyReport !== undefined) copy(...reportWords());
  if (button.dataset.keys !== undefined) showKeys();
});

// --- keys: none while typing, none at all where the reader switched them off

const keysOff = () => { try { return localStorage.getItem('keys') === 'off'; } catch { return false; } };
const pressed = { '/': 'ask or search', 'g a': 'ask', 'g r': 'runs', 'g w': 'watches', 'g l': 'library', 'g s': 'status', n: 'next citation', p: 'citation before', x: 'next that is not supported', Esc: 'close the citation', ',': 'other place in this source', o: 'open the live page', c: 'copy the quote', v: 'check again', '?': 'these keys' };

function showKeys() {
  let list = byID('keys');
  if (!list) {
    list = document.createElement('dialog');
    list.id = 'keys';
    list.className = 'keys';
    list.setAttribute('aria-label', 'Keys');
    const rows = document.createElement('dl');
    for (const [key, what] of Object.entries(pressed)) {
      const name = document.createElement('dt');
      const key_ = document.createElement('kbd');
      key_.textContent = key;
      name.append(key_);
      const does = document.createElement('dd');
      does.textContent = what;
      rows.append(name, does);
    }
    const off = document.createElement('button');
    const close = document.createElement('button');
    close.textContent = 'Close';
    close.onclick = () => list.close();
    const name = () => { off.textContent = keysOff() ? 'Switch single keys on' : 'Switch single keys off'; };
    off.onclick = () => { localStorage.setItem('keys', keysOff() ? 'on' : 'off'); name(); };
    name();
    list.append(rows, off, close);
    document.body.append(list);
  }
  list.showModal();
}

let before = '';
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.closest('input, textarea, select, dialog');
  if (event.key === 'Escape') {
    if (!typing && byID('pane')) closeCitation(true);
    return;
  }
  if (typing || keysOff()) return;
  const key = (before + event.key).trim();
  before = event.key === 'g' ? 'g ' : '';
  const pane = byID('pane');
  const follow = (selector) => { const e = (pane || document).querySelector(selector); if (e) e.click(); return e; };
  const does = {
    '/': () => { const box = byID('question'); box ? box.focus() : (location.href = '/'); },
    'g a': () => { location.href = '/'; },
    'g r': () => { location.href = '/runs'; },
    'g w': () => { location.href = '/watches'; },
    'g l': () => { location.href = '/library'; },
    'g s': () => { location.href = '/status'; },
    n: () => pane ? follow('a[rel="next"]') : document.querySelector('#report a.mark[href*="/c/"]')?.click(),
    p: () => pane && follow('a[rel="prev"]'),
    x: () => pane ? follow('a[data-doubtful]') : document.querySelector('.counts a:not(.supported, .by-judge)[data-cite]')?.click(),
    ',': () => pane && follow('a[data-same]'),
    o: () => pane && follow('a[data-live-page]'),
    c: () => pane && follow('button[data-quote]'),
    v: () => document.querySelector('form[data-part] button')?.click(),
    '?': showKeys,
  }[key];
  if (does) {
    event.preventDefault();
    does();
  }
});

// --- a run under way

// place gives one of the few places for streams that the tabs of a browser share, as what gives
// it back: a browser has six connections to a server, and pages need some. It is null where none
// is free, and where nobody can tell, since there are no locks without a secure context.
async function place() {
  for (let n = 0; navigator.locks && n < 4; n++) {
    const leave = await new Promise((told) => navigator.locks.request(`stream ${n}`, { ifAvailable: true }, (lock) => lock ? new Promise(told) : told(null)));
    if (leave) return leave;
  }
  return null;
}

// patch makes an element say what its news say, and leaves in place what says so already: what
// is taken out, even to be put back, loses the focus, a click and a word that is being composed.
// Elements of different keys are different ones; what the reader has opened stays open.
function patch(here, news) {
  if (here.isEqualNode(news)) return;
  for (const { name, value } of news.attributes) if (here.getAttribute(name) !== value) here.setAttribute(name, value);
  const old = [...here.childNodes], all = [...news.childNodes];
  for (const [i, next] of all.entries()) {
    const node = old[i];
    if (!node) here.append(next);
    else if (node.nodeName !== next.nodeName || node.dataset?.key !== next.dataset?.key) node.replaceWith(next);
    else if (next.nodeType === Node.ELEMENT_NODE) patch(node, next);
    else node.data = next.data;
  }
  for (const node of old.slice(all.length)) node.remove();
}

const live = document.querySelector('[data-live]');
if (live) follow(live);

function follow(main) {
  const id = main.dataset.live;
  const steps = byID('steps');
  let seq = +main.dataset.seq;
  let stream = null, leave = null, seating = false, poll = 0, retry = 0, waits = 5, busy = false, again = false, over = false, heard = 0;
  const line = (words) => { const at = byID('stream'); if (at && at.textContent !== words) at.textContent = words; };
  const clock = () => new Date().toLocaleTimeString();

  // news fetches what is not shown yet: the stream only says that there is some.
  async function news() {
    if (over) return;
    if (busy) { again = true; return; }
    busy = true;
    try {
      const found = await part(`/runs/${id}/part/news?after=${seq}`);
      await take(found);
      waits = 5;
    } catch (status) {
      if (status === 401 || status === 404 || status === 403) { stop(); location.reload(); return; }
      line(`○ The server does not answer; last heard ${heard ? new Date(heard).toLocaleTimeString() : 'not yet'}. Trying again.`);
      setTimeout(() => { again = false; news(); }, 2000);
    }
    busy = false;
    if (again) { again = false; setTimeout(news, 250); }
  }

  // take puts rows behind those that are there, at most fifty a frame, and moves nothing that
  // is read.
  async function take(found) {
    const last = +found.dataset.seq;
    const now = byID('now'), state = now.dataset.state;
    for (const id of ['now', 'asks']) patch(byID(id), found.querySelector('#' + id));
    if (now.dataset.state !== state) {
      say(now.querySelector('.state strong').textContent);
      document.title = (now.dataset.state === 'waiting_for_clarification' ? '(?) ' : '') + document.title.replace(/^\(\?\) /, '');
    }
    for (const step of found.querySelectorAll('.step')) {
      let here = steps.querySelector(`.step[data-step="${step.dataset.step}"]:last-child`);
      const rows = [...step.querySelectorAll('.row')];
      if (!here) {
        const former = steps.lastElementChild;
        step.querySelector('.rows').replaceChildren();
        steps.append(step);
        here = step;
        if (former && !former.contains(document.activeElement) && former.getBoundingClientRect().top > innerHeight) former.open = false;
      } else {
        for (const told of ['.sum', '.took']) here.querySelector(told).textContent = step.querySelector(told).textContent;
      }
      const list = here.querySelector('.rows');
      for (let i = 0; i < rows.length; i += 50) {
        list.append(...rows.slice(i, i + 50));
        await new Promise((next) => document.hidden ? setTimeout(next) : requestAnimationFrame(next));
      }
    }
    seq = Math.max(seq, last);
    heard = Date.now();
    if (found.dataset.over !== undefined) finish();
  }

  function finish() {
    over = true;
    stop();
    line('');
    const done = document.createElement('p');
    const show = document.createElement('a');
    show.href = `/runs/${id}`;
    show.textContent = 'Show the report';
    done.className = 'below';
    done.append('It has ended. ', show);
    byID('stream').replaceWith(done);
    say('It has ended. Show the report.');
  }

  function stop() {
    if (stream) stream.close();
    if (leave) leave();
    stream = leave = null;
    clearInterval(poll);
    clearTimeout(retry);
    poll = 0;
  }

  // asks asks from time to time, until there is a place for a stream.
  function asks() {
    line('○ asking every 2 s');
    poll ||= setInterval(() => { news(); listen(); }, 2000);
  }

  async function listen() {
    if (over || stream || seating || document.hidden) return;
    seating = true;
    const seat = await place();
    seating = false;
    if (over || document.hidden) { if (seat) seat(); return; }
    if (!seat) { asks(); return; }
    clearInterval(poll);
    poll = 0;
    leave = seat;
    stream = new EventSource(`/v1/runs/${id}/events?after=${seq}`);
    const late = setTimeout(() => { // there may be no connection left: ask from time to time
      if (stream && stream.readyState !== EventSource.OPEN) { stop(); asks(); }
    }, 5000);
    stream.onopen = () => { clearTimeout(late); line('● live'); news(); };
    stream.onerror = () => {
      if (over || !stream) return;
      const closed = stream.readyState === EventSource.CLOSED;
      if (!closed) line(`○ reconnecting${heard ? '; last heard ' + clock() : ''}`);
      if (closed) { // it was refused, which no browser says more of: what the run has to tell is asked for
        line(`○ The live stream was refused; asking again in ${waits} s. Where it stays so, close other windows of this page.`);
        clearTimeout(late);
        stop();
        news();
        retry = setTimeout(listen, waits * 1000);
        waits = Math.min(waits * 3, 60);
      }
    };
    const kinds = ['run.created', 'run.acquired', 'run.state', 'run.message', 'run.delivered', 'run.cancel_requested', 'reasoning', 'call', 'result', 'source', 'read', 'unread', 'kept', 'fetch', 'rejected', 'compacted', 'closing', 'paused', 'queued', 'without_tools', 'model_failed', 'over', 'question', 'spent', 'put_off', 'warning'];
    let due = 0;
    for (const kind of kinds) stream.addEventListener(kind, () => { if (!due) due = setTimeout(() => { due = 0; news(); }, 100); });
    stream.addEventListener('stream.error', news); // the run or the reader's token is gone
    stream.addEventListener('stream.end', () => { const s = stream; news().then(() => { if (!over) news(); }); if (s) s.close(); });
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) { stop(); line('‖ paused while hidden'); } else { listen(); }
  });
  addEventListener('pagehide', stop);
  addEventListener('pageshow', listen);
  addEventListener('online', () => { stop(); listen(); });
  listen();
}
