// Drawing a step, and what keys and buttons do. What was chosen (how values are shown, how fast to play, how wide the
// columns are) stays where the browser keeps such things.
// ---- drawing

const byId = id => document.getElementById(id);
let now = 0, state = null, selected = null, query = "", drawnSource = -1, drawnCode = -1;
let ending = ""; // how the frames that are shown have ended: the program is over
const BY_EXCEPTION = "was left by the exception", BY_RETURN = "has returned";

function element(tag, properties, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
        if (name in made && name !== "list") made[name] = value;
        else made.setAttribute(name, value);
    }
    made.append(...children.filter(child => child !== null));
    return made;
}

// The text, with what the search looks for underlined.
function marked(text) {
    const parts = document.createDocumentFragment();
    let from = 0;
    for (let at; query && (at = text.toLowerCase().indexOf(query, from)) >= 0; from = at + query.length)
        parts.append(text.slice(from, at), element("mark", {}, text.slice(at, at + query.length)));
    parts.append(text.slice(from));
    return parts;
}

// Columns are counted in bytes of UTF-8.
function columnOf(line, bytes) {
    let column = 0;
    for (const character of line) {
        if (bytes <= 0) break;
        const point = character.codePointAt(0);
        bytes -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        column += character.length;
    }
    return column;
}

function lineContent(text, number, position) {
    const parts = document.createDocumentFragment();
    if (!position || position[1] < 0 || number < position[0] || number > position[2]) {
        parts.append(marked(text));
        return parts;
    }
    const from = number === position[0] ? columnOf(text, position[1]) : text.search(/\S|$/);
    const to = number === position[2] ? columnOf(text, position[3]) : text.length;
    parts.append(marked(text.slice(0, from)), element("span", { className: "expression" }, marked(text.slice(from, to))),
                 marked(text.slice(to)));
    return parts;
}

// A statement with a body is marked in its first line: the instructions of the body have their own marks.
const HAS_BODY = /^(async|class|def|except|for|if|try|while|with)\b/;

// What the instruction was compiled from, [line, column, last line, end column]; null where that is not known.
function positionOf(row, lines) {
    if (row.length <= 4) return null;
    const [line, column, lastLine] = row.slice(4), text = lines[line - 1] ?? "";
    const marksHead = lastLine > line && HAS_BODY.test(text.slice(columnOf(text, column)));
    return marksHead ? [line, column, line, Infinity] : row.slice(4);
}

function sourceItem(text, number) {
    return element("li", {}, element("span", { className: "mark" }), element("span", { className: "count" }, String(number)),
                   element("span", { className: "text" }, marked(text)));
}

function drawSource(code, row, previous) {
    const source = code.source >= 0 ? sources[code.source] : null;
    const box = byId("source-lines");
    byId("source-title").textContent = "Source" + (source ? ": " + source.name : "");
    if (drawnSource !== code.source) {
        drawnSource = code.source;
        box.replaceChildren(source && source.lines
            ? element("ol", { className: "source mono" }, ...source.lines.map((text, i) => sourceItem(text, i + 1)))
            : element("p", { className: "pad nothing" }, "This code has no source file."));
    }
    if (!source || !source.lines) return;
    const items = box.firstChild.children;
    for (const item of box.querySelectorAll(".touched")) {
        const number = [...items].indexOf(item);
        item.className = "";
        item.children[0].textContent = "";
        item.children[2].replaceChildren(marked(source.lines[number]));
    }
    const mark = (line, className, sign) => {
        const item = items[line - 1];
        if (!item || item.classList.contains("now")) return;
        item.className = className + " touched";
        item.children[0].textContent = sign;
    };
    if (row) {
        const position = positionOf(row, source.lines);
        mark(row[3], "now", "\u25B6");
        for (let line = position ? position[0] : row[3]; position && line <= Math.min(position[2], position[0] + 20); line++) {
            if (!items[line - 1]) continue;
            items[line - 1].classList.add("touched");
            items[line - 1].children[2].replaceChildren(lineContent(source.lines[line - 1], line, position));
        }
        if (items[row[3] - 1]) toReveal.push([box, items[row[3] - 1]]);
    }
    if (previous) mark(previous[3], "before", "\u25B7");
}

// Boxes, each with the item that is to be in sight. Where something is, is asked when all is drawn: an answer costs a
// layout of the page, and what is drawn after it another.
const toReveal = [], afterDrawing = [];

// Scrolls the boxes, and only them.
function reveal() {
    const places = toReveal.splice(0).map(([box, item]) => [box, box.getBoundingClientRect(), item.getBoundingClientRect()]);
    for (const [box, a, b] of places)
        if (b.top < a.top || b.bottom > a.bottom) box.scrollTop += b.top - a.top - a.height / 3;
}

function drawCode(number, offset, previousOffset) {
    const code = codes[number], box = byId("rows");
    byId("code-title").textContent = "Bytecode: " + code.name;
    if (drawnCode !== number) {
        drawnCode = number;
        let line = -1;
        box.replaceChildren(element("table", { "aria-label": "Bytecode" }, element("tbody", {}, ...code.rows.map((row, i) => {
            const begins = row[3] !== line;
            line = row[3];
            return element("tr", {}, element("td", { className: "sign" }), element("td", { className: "right small" }, begins ? String(line) : ""),
                element("td", { className: "right" }, String(2 * i)), element("td", {}, marked(row[0])),
                element("td", { className: "right" }, row[1] < 0 ? "" : String(row[1])),
                element("td", { className: "value" }, marked(row[2] ? "(" + row[2] + ")" : "")));
        }))));
    }
    const rows = box.querySelectorAll("tr");
    for (const row of box.querySelectorAll("tr.now, tr.before")) {
        row.className = "";
        row.removeAttribute("aria-current");
        row.firstChild.textContent = "";
    }
    const mark = (at, className, sign) => {
        if (at === null || at < 0 || !rows[at / 2] || rows[at / 2].className) return;
        rows[at / 2].className = className;
        rows[at / 2].firstChild.textContent = sign;
    };
    mark(offset, "now", "\u25B6");
    if (rows[offset / 2]) {
        rows[offset / 2].setAttribute("aria-current", "step");
        toReveal.push([box, rows[offset / 2]]);
    }
    mark(previousOffset, "before", "\u25B7");
}

const NOT_RECORDED = -3; // instead of a value

const KINDS = { l: "fast", c: "cell", f: "free", n: "name" };

function variableRow(index, kind, name, key, number, changed) {
    return element("tr", { className: "slot" }, element("td", { className: "right small" }, index), element("td", {},
        element("span", { className: "kind " + kind }, KINDS[kind])),
        element("td", {}, element("button", { className: "variable", "aria-pressed": String(selected === key),
                                              title: "Select: previous and next write", onclick: () => select(key, name) }, marked(name))),
        element("td", {}, number === NOT_RECORDED ? element("span", { className: "value" }, "not recorded")
            : valueElement(number, changed, { title: name + " refers to this" })));
}

// Do the writes of this key include the step that is shown?
function writtenNow(key) {
    const steps = writes.get(key);
    return steps !== undefined && now > 0 && steps[countUpTo(steps, now) - 1] === now;
}

function frameVariables(frame, code) {
    const rows = [...code.kinds].map((kind, slot) => {
        const number = slot < SLOTS_SHOWN ? frame.slots[slot] ?? -1 : NOT_RECORDED, value = valueOf(state, number);
        const key = value && value.form === CELL ? cellKey(value) : frame.code + ":" + slot;
        return variableRow(String(slot), kind, code.names[slot], key, number, writtenNow(key));
    });
    for (const [name, number] of frame.names) {
        const key = frame.code + "=" + name;
        rows.push(variableRow("", "n", name, key, number, writtenNow(key)));
    }
    if (frame.names.size === NAMES_SHOWN)
        rows.push(element("tr", {}, element("td", { className: "small", colSpan: 4 }, "names after these are not recorded")));
    return rows.length ? element("table", { "aria-label": "Variables" }, element("tbody", {}, ...rows)) : null;
}

function stackElement(frame) {
    const count = frame.stack.length, rows = frame.stack.map((number, i) => element("div", {},
        element("span", { className: "small level" }, i + 1 === count && count < STACK_SHOWN ? "top \u25B6" : ""),
        element("span", { className: "box stack-value" + (i + 1 === count ? " top" : "") },
                valueElement(number, false, { title: "on the value stack", words: true }))));
    return element("div", {}, element("div", { className: "small" }, "value stack (" + count + ")",
                                      count === STACK_SHOWN ? ", what may lie above is not recorded" : ""),
                   element("div", { className: "values mono" }, ...rows));
}

function blocksElement(frame) {
    if (!frame.blocks.length) return null;
    const boxes = [];
    for (let i = 0; i < frame.blocks.length; i += 2)
        boxes.push(element("span", { className: "box block" }, frame.blocks[i] < 0
            ? "handler runs, back to depth " + frame.blocks[i + 1]
            : "handler at " + frame.blocks[i] + ", depth " + frame.blocks[i + 1]));
    return element("div", { className: "stack mono" }, element("span", { className: "small" }, "block stack (" + boxes.length + ")"), ...boxes);
}

function frameElement(frame, running) {
    const code = codes[frame.code], row = code.rows[frame.offset / 2];
    const source = code.source >= 0 && sources[code.source] ? sources[code.source].name : "no file";
    return element("div", { className: "frame mono" + (running ? " running" : "") },
        element("h3", {}, (running ? "\u25B6 " : "") + code.name + " ",
                element("span", { className: "small" }, "(" + source + ":" + (row ? row[3] : code.line) + ") " + (ending || (running ? "runs" : "waits")))),
        frameVariables(frame, code), stackElement(frame), blocksElement(frame));
}

// What has been as wide stays so, and grows by much at a time: what is right of it keeps its place.
const roomFor = width => 40 * Math.ceil(width / 40);

function keepWidth(box) {
    box.style.minWidth = boxes.size ? Math.max(parseFloat(box.style.minWidth) || 0, roomFor(box.offsetWidth)) + "px" : "";
}

function drawFrames(before) {
    const frames = state.frames.filter(Boolean), hidden = state.depth - frames.length, running = frames[frames.length - 1];
    chooseBoxes();
    byId("picture").classList.toggle("without-boxes", !boxes.size);
    byId("frames").replaceChildren(hidden ? element("p", { className: "small" }, hidden + " outer frames are not shown") : "",
        ...frames.map(frame => frameElement(frame, frame === running)),
        frames.length ? "" : element("p", { className: "nothing" }, "No frame of the program is left."));
    keepWidth(byId("frames"));
    toReveal.push([byId("frames-box"), byId("frames").lastElementChild]);
    drawBoxes(before);
}

function drawEvents() {
    byId("events").replaceChildren(...(state.events.length
        ? state.events.map(event => element("li", { className: "event" + event.kind }, marked(event.text.trimEnd())))
        : [element("li", { className: "nothing" }, "\u2013")]));
}

function drawOutput() {
    const count = countUpTo(outputSteps, now), from = Math.max(0, count - 400);
    byId("output").replaceChildren(from ? "\u2026\n" : "", ...output.slice(from, count).map(piece =>
        piece.error ? element("span", { className: "error" }, piece.text) : piece.text));
}

function cacheEntry(event, at) {
    const [guard, hits, misses, failure, name] = event.numbers.slice(at, at + 5), texts = event.texts;
    return element("div", { className: "entry mono" },
        element("div", {}, "entry " + at / 5 + ": runs " + texts[name] + ", hits " + hits + ", misses " + misses),
        element("pre", { className: "guard" }, marked(texts[guard].trim())),
        texts[failure] ? element("div", {}, "failed last: ", marked(texts[failure])) : null);
}

// The latest state of each code's cache up to now.
function drawCache() {
    const latest = new Map();
    for (const event of cacheEvents) {
        if (event.step > now) break;
        latest.set(event.code, event);
    }
    byId("cache").replaceChildren(...[...latest.values()].map(event => {
        const entries = [];
        for (let at = 0; at < event.numbers.length; at += 5) entries.push(cacheEntry(event, at));
        const mark = ["", " is marked SKIP_CODE", " is marked SKIP_CODE_RECURSIVE"][event.mark];
        const count = entries.length + (entries.length === 1 ? " entry" : " entries");
        const title = codes[event.code].name + (mark || ": " + count);
        return element("div", { className: "cache-code" }, element("h3", {}, title), ...entries);
    }), latest.size ? "" : "nothing was decided yet");
}

function describe(row) {
    if (!row) return "the end";
    return row[0] + (row[1] < 0 ? "" : " " + row[1]) + (row[2] ? " (" + row[2] + ")" : "");
}

function draw() {
    const frame = state.frames[state.depth - 1], before = now > 0 ? stateAt(now - 1) : null;
    const old = before && before.frames[state.depth - 1]; // the same frame in the step before
    if (frame && ending !== BY_RETURN) {
        const code = codes[frame.code], row = code.rows[state.offset / 2];
        const previous = old && old.code === frame.code && before.depth >= state.depth ? old.offset : null;
        drawSource(code, row, previous === null ? null : code.rows[previous / 2]);
        drawCode(frame.code, state.offset, previous);
        byId("status").textContent = (ending ? "An exception has ended the program here: " : "") +
            `${code.name}:${row ? row[3] : "?"}  ${state.offset} ${describe(row)}`;
    } else {
        if (frame) { // nothing comes next
            drawSource(codes[frame.code], null, codes[frame.code].rows[state.offset / 2]);
            drawCode(frame.code, -1, state.offset);
        }
        byId("status").textContent = "The program has ended.";
    }
    drawEvents();
    drawOutput();
    if (cacheEvents.length) drawCache();
    drawFrames(before);
    drawWrites();
    byId("slider").value = byId("number").value = now;
    document.body.dataset.step = now;
    byId("output").scrollTop = byId("output").scrollHeight;
    reveal();
    for (const action of afterDrawing.splice(0)) action();
    drawArrows();
    rememberStep();
}

// The address names the step that is shown; browsers refuse too many changes of it in a second.
let addressTimer = null;

function rememberStep() {
    addressTimer ??= setTimeout(() => {
        addressTimer = null;
        try {
            history.replaceState(null, "", "#step=" + now);
        } catch (error) { /* inside another page there is no address */ }
    }, 250);
}

const stepOfAddress = () => Number(new URLSearchParams(location.hash.slice(1)).get("step")) || 0;

function go(step) {
    now = Math.max(0, Math.min(total - 1, Math.trunc(step)));
    state = stateAt(now);
    ending = state.depth > 0 ? "" : now >= crashStep ? BY_EXCEPTION : BY_RETURN;
    if (ending && now > 0) { // the last frames stay in sight
        const events = state.events;
        state = stateAt((ending === BY_RETURN ? now : crashStep) - 1);
        state.events = events;
        if (ending === BY_RETURN) state.frames[state.depth - 1]?.stack.pop(); // what was returned
    }
    draw();
}

// ---- writes of a variable

let selectedName = "";

function select(key, name) {
    selected = key;
    selectedName = name;
    draw();
}

function drawWrites() {
    const steps = (selected && writes.get(selected)) || [];
    byId("selected").textContent = selected ? selectedName : "click a variable";
    byId("write-place").textContent = !selected ? "" : `written ${countUpTo(steps, now)} times so far, ${steps.length} in ${isReadUp() ? "the whole run" : "what was read"}`;
    byId("write-back").disabled = byId("write-next").disabled = !selected;
}

function goToWrite(direction) {
    const steps = (selected && writes.get(selected)) || [];
    const index = direction > 0 ? countUpTo(steps, now) : countUpTo(steps, now - 1) - 1;
    if (steps[index] !== undefined) go(steps[index]);
    byId("write-place").textContent += steps[index] === undefined ? (direction > 0 ? ", none later" : ", none earlier") : "";
}

// ---- search

// What matches: lines of source, instructions, and texts in the chunks.
let matches = null;

function findMatches() {
    const has = text => text.toLowerCase().includes(query);
    matches = {
        lines: sources.map(source => new Set((source.lines || []).flatMap((text, i) => has(text) ? [i + 1] : []))),
        rows: codes.map(code => new Set(code.rows.flatMap((row, i) => has(row[0] + " " + row[2]) ? [i] : []))),
        texts: new Map(), // of each chunk that was searched
        textsOf(chunk) {
            if (!this.texts.has(chunk)) this.texts.set(chunk, new Set(chunk.texts.flatMap((text, i) => has(text) ? [i] : [])));
            return this.texts.get(chunk);
        },
    };
}

// Does the step bring a text that matches?
function bringsMatch(record, texts) {
    let found = false;
    const isValue = number => number >= 0 && (number & 1) === 0 && texts.has(number >> 1);
    forEachChange(record, (change, at) => {
        if (change === PUSH) found = found || isValue(record[at]);
        else if (change === STACK) found = found || record.slice(at + 2, at + 2 + record[at + 1]).some(isValue);
        else if (change === SLOT) found = found || isValue(record[at + 1]);
        else if (change === OBJECT) found = found || texts.has(record[at + 3]) || record.slice(at + 8, at + 8 + record[at + 7]).some(isValue);
        else if (change === ITEMS) found = found || record.slice(at + 5, at + 5 + record[at + 4]).some(isValue);
        else if (change === NAME) found = found || isValue(record[at + 1]) || texts.has(record[at]);
        else if (change === OUTPUT || change === NOTE) found = found || texts.has(record[at + 1]);
    });
    return found;
}

function isMatch(step) {
    const chunk = chunkOf(step), record = chunk.steps[step - chunk.first];
    if (bringsMatch(record, matches.textsOf(chunk))) return true;
    readUpTo(step);
    const code = codes[codeOfStep[step]], row = record[0] / 2;
    if (!code || !code.rows[row]) return false;
    return matches.rows[codeOfStep[step]].has(row)
        || (code.source >= 0 && matches.lines[code.source].has(code.rows[row][3]));
}

function searchFrom(step, direction) {
    for (; step >= 0 && step < total; step += direction)
        if (isMatch(step)) return step;
    return -1;
}

function search(direction) {
    const wanted = byId("query").value.toLowerCase();
    if (!wanted) return;
    if (wanted !== query || !matches) {
        query = wanted;
        findMatches();
        drawnSource = drawnCode = -1;
    }
    const found = searchFrom(now + direction, direction);
    if (found >= 0) go(found);
    else draw();
    const count = set => set.reduce((sum, one) => sum + one.size, 0);
    byId("found").textContent = (found < 0 ? (direction > 0 ? "no later step; " : "no earlier step; ") : "step " + found + "; ")
        + count(matches.lines) + " lines, " + count(matches.rows) + " instructions";
}

// ---- moving

let timer = null;

// Instructions, or lines, at the speed that was chosen.
function play(on) {
    clearInterval(timer);
    const advance = () => now + 1 >= total ? play(false) : settings.unit === "line" ? goWhile(1, isOtherLine) : go(now + 1);
    timer = on ? setInterval(advance, 1000 / Number(settings.speed)) : null;
    byId("play").setAttribute("aria-pressed", String(on));
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
    byId("play").textContent = on ? "\u275A\u275A" : "\u25B6\u25B6";
}

// The nearest step in this direction for which done(step) is true.
function goWhile(direction, done) {
    let step = now + direction;
    readUpTo(now);
    for (; step > 0 && step < total - 1; step += direction) {
        readUpTo(step);
        if (done(step)) break;
    }
    go(step);
}

const codeAt = step => codes[codeOfStep[step]];

function lineOf(step) {
    const row = codeAt(step) && codeAt(step).rows[offsetOfStep[step] / 2];
    return row ? row[3] : -1;
}

const isOtherLine = step => codeOfStep[step] !== codeOfStep[now] || depthOfStep[step] !== depthOfStep[now]
    || lineOf(step) !== lineOf(now);

// Does a visit of the line begin with this step?
function isVisit(source, line, step) {
    const isOn = at => at >= 0 && codeAt(at) !== undefined && codeAt(at).source === source && lineOf(at) === line;
    return isOn(step) && !(isOn(step - 1) && depthOfStep[step - 1] === depthOfStep[step] && offsetOfStep[step - 1] < offsetOfStep[step]);
}

// To the next visit of a line, after the last one to the first again; or backwards.
function goToVisit(source, line, direction = 1) {
    for (let i = 1, step = now; i <= total; i++) {
        step = (step + direction + total) % total;
        readUpTo(step);
        if (isVisit(source, line, step)) return go(step);
    }
    byId("status").textContent = `Line ${line} was not executed.`;
}

function visitHere(direction) {
    readUpTo(now);
    if (codeAt(now)) goToVisit(codeAt(now).source, lineOf(now), direction);
}

// ---- what was chosen

const STORE = "minivm-page";
const settings = { values: "arrows", unit: "instruction", speed: "4", left: "", middle: "" };

function readSettings() {
    try {
        const kept = JSON.parse(localStorage.getItem(STORE)) || {};
        for (const name of Object.keys(settings)) if (typeof kept[name] === "string") settings[name] = kept[name];
    } catch (error) { /* none are kept, or this is no place to keep any */ }
}

function choose(name, value) {
    settings[name] = value;
    try {
        localStorage.setItem(STORE, JSON.stringify(settings));
    } catch (error) { /* they hold for this page */ }
    applySettings();
}

function applySettings() {
    for (const name of ["values", "unit", "speed"]) {
        byId(name).value = settings[name];
        if (!byId(name).value) byId(name).value = settings[name] = byId(name).options[0].value;
    }
    for (const name of ["left", "middle"]) {
        const width = /^\d+(\.\d+)?px$/.test(settings[name]) ? settings[name] : null;
        if (width) byId("columns").style.setProperty("--" + name, width);
        else byId("columns").style.removeProperty("--" + name);
    }
}

// ---- columns, wider and narrower

function setWidth(name, pixels) {
    choose(name, Math.max(160, Math.min(pixels, innerWidth - 400)) + "px");
    drawArrows();
}

function connectHandle(handle) {
    const column = handle.previousElementSibling, name = handle.dataset.column;
    handle.addEventListener("pointerdown", event => {
        const start = event.clientX, width = column.getBoundingClientRect().width;
        handle.setPointerCapture(event.pointerId);
        handle.onpointermove = move => setWidth(name, width + move.clientX - start);
        handle.onpointerup = () => { handle.onpointermove = null; };
    });
    handle.addEventListener("keydown", event => {
        const by = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        setWidth(name, column.getBoundingClientRect().width + by);
    });
    handle.addEventListener("dblclick", () => { choose(name, ""); drawArrows(); });
}

// ---- keys

const keys = {
    ArrowRight: () => go(now + 1), ArrowLeft: () => go(now - 1),
    ArrowDown: () => goWhile(1, isOtherLine), ArrowUp: () => goWhile(-1, isOtherLine),
    PageDown: () => go(now + 100), PageUp: () => go(now - 100),
    Home: () => go(0), End: () => go(total - 1),
    " ": () => play(timer === null),
    o: () => goWhile(1, step => depthOfStep[step] <= depthOfStep[now]),
    "/": () => { byId("query").focus(); byId("query").select(); },
    a: () => { choose("values", settings.values === "arrows" ? "inline" : "arrows"); draw(); },
    l: tidy,
    v: () => visitHere(1), V: () => visitHere(-1),
    n: () => search(1), N: () => search(-1),
    p: () => goToWrite(-1), P: () => goToWrite(1), "[": () => goToWrite(-1), "]": () => goToWrite(1),
    t: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
    "?": () => byId("keys").showModal(),
};

// In a box that was reached by Tab these keys scroll it, as everywhere.
const SCROLLING = /^(Arrow|Page|Home|End)/;
let tabbed = false; // since the last click

function onKey(event) {
    tabbed ||= event.key === "Tab";
    const target = event.target, types = target.tagName === "INPUT" && target.type !== "range";
    if (types && event.key === "Escape") {
        event.preventDefault(); // it would empty the field
        target.blur();
    }
    if (types || target.tagName === "SELECT" || byId("keys").open || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && target.tagName === "BUTTON") return;
    if (tabbed && SCROLLING.test(event.key) && target.matches(".scroll")) return;
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
}

function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    byId("theme").textContent = theme === "dark" ? "light" : "dark";
}

function connect() {
    const click = (id, action) => byId(id).addEventListener("click", action);
    click("first", keys.Home);
    click("back", keys.ArrowLeft);
    click("play", keys[" "]);
    click("forward", keys.ArrowRight);
    click("last", keys.End);
    click("theme", keys.t);
    click("help", keys["?"]);
    click("tidy", tidy);
    click("found-back", keys.N);
    click("write-back", keys.p);
    click("write-next", keys.P);
    byId("search").addEventListener("submit", event => { event.preventDefault(); search(1); });
    byId("slider").addEventListener("input", event => go(Number(event.target.value)));
    byId("number").addEventListener("change", event => go(Number(event.target.value)));
    for (const name of ["values", "unit", "speed"])
        byId(name).addEventListener("change", () => {
            choose(name, byId(name).value);
            if (name === "values") draw();
            else if (timer !== null) play(true);
        });
    click("more-boxes", () => { allBoxes = !allBoxes; draw(); });
    byId("source-lines").addEventListener("click", event => {
        const item = event.target.closest("li");
        if (item && !String(getSelection())) goToVisit(drawnSource, [...item.parentNode.children].indexOf(item) + 1, event.shiftKey ? -1 : 1);
    });
    document.querySelectorAll(".handle").forEach(connectHandle);
    addEventListener("hashchange", () => { if (stepOfAddress() !== now) go(stepOfAddress()); });
    addEventListener("keydown", onKey);
    addEventListener("pointerdown", () => { tabbed = false; });
    addEventListener("resize", drawArrows);
}

function warn(text) {
    byId("warning").hidden = false;
    byId("warning").textContent = text;
}

// Reads the rest of the run while the page is in use; what was drawn by less is drawn again.
function readInBackground() {
    const isRead = readOn(20);
    byId("reading").hidden = isRead;
    byId("reading").textContent = `reading the run: ${Math.floor(100 * codeOfStep.length / total)}%`;
    if (!isRead) {
        setTimeout(readInBackground);
        return;
    }
    byId("cache-section").hidden = cacheEvents.length === 0;
    byId("frames-box").classList.toggle("limited", cacheEvents.length > 0);
    go(now);
}

function start() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    setTheme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
    readRecords();
    readSettings();
    applySettings();
    connect();
    byId("title").textContent = sources.length ? sources[0].name : "minivm";
    document.title = byId("title").textContent + " \u2013 minivm";
    byId("total").textContent = Math.max(0, total - 1);
    byId("slider").max = byId("number").max = Math.max(0, total - 1);
    if (!end) warn("The record breaks off here: minivm could not finish it.");
    else if (end.limit) warn(`The run goes on: the record was ended after ${end.end} instructions (--trace-steps).`);
    readOn(150);
    now = Math.max(0, Math.min(total - 1, Math.trunc(stepOfAddress())));
    if (total) {
        go(now);
        readInBackground();
    } else byId("status").textContent = end ? "No instruction of the program was executed." : "Nothing was recorded.";
    document.body.dataset.ready = Math.round(performance.now()); // milliseconds since the file was opened
}

addEventListener("DOMContentLoaded", start);
