// The objects of a step: each a box, once, with an arrow for each reference to it; or their text, where they are wanted
// in line.
//
// What the frames lead to stands in columns: in the first what they refer to themselves, in the next what that refers to.
// A box that has been drawn keeps its place. Cells, functions with a closure, tensors and storages are boxes in either
// case, for what they share cannot be seen in a text. A box of many items is folded until it is clicked; of more than a
// step has, the whole is read from outside the steps (Wholes in trace_run.js).
const FOLDED_ABOVE = 12, FOLDED_FIRST = 8, FOLDED_LAST = 2; // items of a box
const LONG_TEXT = 64, LONG_FIRST = 44, LONG_LAST = 14;
const MOST_BOXES = 80, MOST_COLUMNS = 12;
const ALWAYS_BOXES = [FUNCTION, CELL, TENSOR, STORAGE];
const BOX_NAMES = ["sequence", "set", "dict", "instance", "function", "cell", "tensor", "storage", "class"];

const WHOLE_PAGE = 1000; // items
const NOT_KEPT = "Of one value at most 300,000 items or 1,000,000 bytes are in the page, of all such values 16 MB; "
    + "of those that change often, not each version.";

const opened = new Set(); // boxes by their place, and long texts, that are not folded
const turned = new Map(), scrolled = new Map(); // of what is shown whole: its first item, and how far it is scrolled
let allBoxes = false;
let boxes = new Map(); // number of an object -> its column, of those that have a box in this step
const kept = new Map(); // by the key of an object: the column and the top of its box, when it was drawn last
let columns = []; // from the left: { left, width, boxes }, the boxes from the top

// ---- as text

// By the name of a class, which may be "constructor".
const BRACKETS = { __proto__: null, list: ["[", "]"], tuple: ["(", ")"], set: ["{", "}"], dict: ["{", "}"], frozenset: ["frozenset({", "})"],
                   deque: ["deque([", "])"] };
const TEXT_DEPTH = 2, TEXT_ITEMS = 8;

// As show_value() writes it: objects/looking/show.h.
function inlineText(state, number, within = []) {
    const value = valueOf(state, number);
    if (!value) return "unbound";
    if (value.text !== undefined) return value.text;
    if ([FUNCTION, TENSOR, STORAGE, CLASS].includes(value.form)) return value.head;
    if (value.form === INSTANCE) return "<" + value.head + " object>";
    const isTooDeep = value.size > 0 && (within.length >= TEXT_DEPTH || within.includes(number));
    const inner = [...within, number];
    if (value.form === CELL)
        return "<cell: " + (!value.size ? "empty" : isTooDeep ? "..." : inlineText(state, value.values[0], inner)) + ">";
    const [left, right] = BRACKETS[value.head] || [value.head + "(", ")"];
    if (!value.size && value.head.endsWith("set")) return value.head + "()";
    return left + (isTooDeep ? "..." : itemTexts(state, value, inner)) + right;
}

function itemTexts(state, value, within) {
    const step = value.form === DICT ? 2 : 1, texts = [];
    const text = at => inlineText(state, value.values[at], within);
    for (let at = 2 * value.attributes; at < value.values.length && texts.length <= TEXT_ITEMS; at += step)
        texts.push(texts.length === TEXT_ITEMS ? "..." : step === 2 ? text(at) + ": " + text(at + 1) : text(at));
    return texts.join(", ") + (value.head === "tuple" && value.size === 1 ? "," : "");
}

// "<Tensor float32[2]: 0., 1.>"; where an arrow leads to the box of the tensor: "Tensor float32[2]".
const headOf = text => text.replace(/^<|(: .*)?>$/gs, "");

// Objects are called by the end of their id.
const keyOf = number => state.objects[number].place || "storage " + number;
const placeName = object => "\u2026" + object.place.toString(16).padStart(5, "0").slice(-5);

// ---- which objects have a box

const hasBox = form => settings.values === "arrows" || ALWAYS_BOXES.includes(form);

// What these groups of values lead to, group by group and in each the nearest first, each with its column: the one where
// it was, or the one after the first that refers to it.
function findBoxes(state, groups) {
    const found = new Map(), queue = [];
    let done = 0;
    const meet = (number, column) => {
        const object = number >= 0 && (number & 1) ? state.objects[number >> 1] : null;
        if (!object || found.has(number >> 1) || !hasBox(object.form)) return;
        found.set(number >> 1, kept.get(object.place)?.column ?? Math.min(column, MOST_COLUMNS - 1));
        queue.push(number >> 1);
    };
    for (const group of groups) {
        group.forEach(number => meet(number, 0));
        for (; done < queue.length; done++)
            for (const number of referredBy(state.objects[queue[done]])) meet(number, found.get(queue[done]) + 1);
    }
    return found;
}

const referredBy = object => [...object.values, object.cls];
const namedBy = frame => [...frame.slots, ...frame.names.values()];

// The variables of the outermost frame come first: so what a call refers to does not change its place.
function groupsOf(state) {
    const frames = state.frames.filter(Boolean);
    return [...frames.map(namedBy), ...frames.map(frame => frame.stack)];
}

// Is this the number of an object that has a box?
const isBoxed = number => number >= 0 && (number & 1) === 1 && boxes.has(number >> 1);

// ---- values

// A text that is long opens with a click. `whole`: where all of it is, if it is not in `text`.
function textElement(text, className, whole) {
    const isLong = whole !== undefined || text.length > LONG_TEXT, isFolded = isLong && !opened.has(text);
    const shown = isFolded ? text.slice(0, LONG_FIRST) + " \u2026 " + text.slice(-LONG_LAST) : text;
    const isWhole = !isFolded && whole !== undefined;
    const made = element("span", { className }, isWhole ? wholeText(text, Number(whole)) : marked(shown));
    if (isLong) made.append(element("button", { className: "fold", title: isFolded ? "Show all of it" : "Show less",
                                                onclick: () => toggle(text) }, isFolded ? "+" : "\u2212"));
    return made;
}

// `ends`: the first and the last characters, in quotes.
function wholeText(ends, number) {
    const text = Wholes.get(number), quote = ends.search(/['"]/) + 1;
    if (typeof text !== "string") return element("span", { title: NOT_KEPT }, marked(ends), " (only its ends are in the page)");
    return scrolling("text " + number, element("span", { className: "whole" },
                                               marked(ends.slice(0, quote) + text + ends.slice(ends.lastIndexOf(ends[quote - 1])))));
}

// A box that stays as it was scrolled.
function scrolling(key, box) {
    box.addEventListener("scroll", () => scrolled.set(key, box.scrollTop));
    afterDrawing.push(() => { box.scrollTop = scrolled.get(key) ?? 0; });
    return box;
}

function toggle(key) {
    if (!opened.delete(key)) opened.add(key);
    draw();
}

function dotElement(number, kind, title, changed) {
    const value = valueOf(state, number), dot = element("span", { className: "dot", title: inlineText(state, number) });
    dot.dataset.to = "object-" + value.object;
    dot.dataset.kind = kind + (changed ? " new-arrow" : "");
    dot.dataset.title = title;
    return dot;
}

// What stands for a value; where it has a box, a dot from which an arrow leads there. `words`: with its text as well.
// Nothing stands behind a dot, so that its arrow crosses no text.
function valueElement(number, changed, { kind = "owner", title = "", words = false } = {}) {
    const value = valueOf(state, number);
    if (!value) return element("span", { className: "nothing" + (changed ? " changed" : "") }, "unbound");
    if (!isBoxed(number)) return textElement(inlineText(state, number), "value" + (changed ? " changed" : ""), number & 1 ? undefined : value.whole);
    const text = value.form === CELL ? "cell " + placeName(value) : value.form === TENSOR ? headOf(value.head)
        : words ? inlineText(state, number) : "";
    return element("span", { className: "value" }, element("span", { className: changed ? "changed" : "" }, marked(text)),
                   dotElement(number, kind, title, changed));
}

// ---- a box

// For each item that is recorded: the text before it, and where its value is.
function itemsOf(object) {
    const first = 2 * object.attributes, step = object.form === DICT ? 2 : 1;
    const count = (object.values.length - first) / step, missing = object.size - count, items = [];
    for (let i = 0; i < count; i++) {
        const isBehind = object.form === SEQUENCE && missing > 0 && i >= count - ENDS;
        items.push({ index: isBehind ? i + missing : i, at: first + i * step + step - 1, key: step === 2 ? first + i * step : -1 });
    }
    return items;
}

// What is drawn of them: the first and the last, with how many are left out, and whether they can be shown.
function foldedItems(object) {
    const items = itemsOf(object), isOpen = opened.has(object.place);
    const isFolded = items.length > FOLDED_ABOVE && !isOpen;
    const last = object.form === SEQUENCE ? FOLDED_LAST : 0;
    const shown = isFolded ? [...items.slice(0, FOLDED_FIRST), ...items.slice(items.length - last)] : items;
    return { shown, hidden: items.length - shown.length, missing: object.size - items.length,
             canFold: items.length > FOLDED_ABOVE };
}

function foldButton(object, { hidden, missing, canFold }) {
    const parts = [], whole = "whole " + object.place;
    if (canFold) parts.push(element("button", { className: "fold", onclick: () => toggle(object.place) },
                                    hidden ? `\u2026 ${hidden} more` : "fold"));
    if (missing > 0 && object.whole >= 0)
        parts.push(element("button", { className: "fold", onclick: () => toggle(whole) }, `all ${object.size}`));
    else if (missing > 0)
        parts.push(element("span", { className: "small", title: NOT_KEPT }, ` ${missing} of ${object.size} are not in the page`));
    return parts.length ? element("div", {}, ...parts) : null;
}

// All items, as texts, a thousand at a time.
function wholeItems(object, items) {
    const key = "whole " + object.place, most = Math.max(0, items.length - 1), first = Math.min(turned.get(key) ?? 0, most);
    const from = first - first % WHOLE_PAGE, last = Math.min(from + WHOLE_PAGE, items.length);
    const turn = (to, sign, name) => element("button", { className: "fold", title: name, disabled: to < 0 || to > most, onclick: () => {
        turned.set(key, to);
        scrolled.delete(key);
        draw();
    } }, sign);
    const lines = items.slice(from, last).map((text, i) => (object.form === SEQUENCE ? from + i + ": " : "") + text);
    return element("div", {},
        element("button", { className: "fold", onclick: () => toggle(key) }, "fold"),
        turn(from - WHOLE_PAGE, "\u25C0", "Items before"), turn(from + WHOLE_PAGE, "\u25B6", "Items after"),
        element("span", { className: "small" }, ` ${from} to ${last - 1} of ${object.size}`
            + (object.isStale ? "; as it was a while ago: it may have changed since" : "")),
        scrolling(key, element("pre", { className: "whole", tabIndex: 0 }, marked(lines.join("\n")))));
}

function isChanged(number, at) {
    const change = state.changed.get(number);
    return change !== undefined && change.positions.has(at);
}

const childElement = (number, object, at, kind) =>
    valueElement(object.values[at], isChanged(number, at), { kind, title: object.head + " refers to this" });

function rowElement(name, number, object, at, kind) {
    return element("tr", {}, element("td", { className: "small key" }, name),
                   element("td", {}, childElement(number, object, at, kind)));
}

function attributeRows(number, object) {
    const rows = [];
    for (let i = 0; i < object.attributes; i++) {
        const text = inlineText(state, object.values[2 * i + 1]);
        if (object.form === CLASS && text.startsWith("<function "))
            rows.push(element("tr", {}, element("td", { className: "small key" }, marked(inlineText(state, object.values[2 * i]))),
                              element("td", { className: "small", title: text }, "function")));
        else rows.push(rowElement(marked(inlineText(state, object.values[2 * i])), number, object, 2 * i + 1,
                                  object.form === FUNCTION ? "closure" : "held"));
    }
    return rows;
}

// The key of a dict before its value; a key that has a box in a row of its own, for its arrow leads to the right.
function entryRows(number, object, item) {
    const key = kind => valueElement(object.values[item.key], isChanged(number, item.key), { kind });
    if (!isBoxed(object.values[item.key])) return [rowElement(key("held"), number, object, item.at, "held")];
    return [element("tr", {}, element("td", { className: "small key" }, "key"), element("td", {}, key("held"))),
            rowElement("value", number, object, item.at, "held")];
}

const tableElement = rows => element("table", {}, element("tbody", {}, ...rows));

// Items in a row, as they are in memory; one below the other where arrows lead to the right of them; of a dict in lines.
function itemsElement(number, object) {
    const whole = opened.has("whole " + object.place) ? Wholes.get(object.whole ?? -1) : null;
    if (whole) return [wholeItems(object, whole)];
    const folded = foldedItems(object), fold = foldButton(object, folded), isSequence = object.form === SEQUENCE;
    const left = fold && folded.hidden + Math.max(0, folded.missing) > 0 && isSequence
        ? folded.hidden ? FOLDED_FIRST : folded.shown.length - ENDS : -1; // before this one some are left out
    if (object.form === DICT)
        return [folded.shown.length ? tableElement(folded.shown.flatMap(item => entryRows(number, object, item))) : null, fold];
    if (folded.shown.some(item => isBoxed(object.values[item.at]))) {
        const rows = folded.shown.map(item => rowElement(isSequence ? String(item.index) : "", number, object, item.at, "held"));
        if (left >= 0) rows.splice(left, 0, element("tr", {}, element("td", { className: "key" }, "\u2026"), element("td")));
        return [tableElement(rows), fold];
    }
    const cells = folded.shown.map(item => element("span", { className: "item" },
        element("span", { className: "small index" }, isSequence ? String(item.index) : ""), childElement(number, object, item.at, "held")));
    if (left >= 0) cells.splice(left, 0, element("span", { className: "item" }, "\u2026"));
    return [element("div", { className: "items" }, ...cells), fold];
}

// What stands under the title.
function contentsOf(number, object) {
    const change = state.changed.get(number), isHeadChanged = change !== undefined && change.isHead;
    const text = headOf(object.head);
    switch (object.form) {
    case CELL:
        return [object.size ? childElement(number, object, 0, "held") : element("span", { className: "nothing" }, "empty")];
    case STORAGE: return [textElement(object.head, "value" + (isHeadChanged ? " changed" : ""))];
    case TENSOR: {
        const elements = object.head.slice(text.length + 3, -1);
        return [elements ? textElement(elements, "value" + (isHeadChanged ? " changed" : ""))
            : element("span", { className: "nothing" }, "no elements"),
            object.size ? element("div", { className: "small" }, "storage ", childElement(number, object, 0, "storage")) : null];
    }
    }
    const rows = attributeRows(number, object), table = rows.length ? [tableElement(rows)] : [];
    if (object.form === FUNCTION || object.form === CLASS || object.form === INSTANCE)
        return table.length ? table : [element("span", { className: "nothing" }, "no attributes")];
    return [...table, ...(object.size ? itemsElement(number, object) : [element("span", { className: "nothing" }, "empty")])];
}

function titleOf(object) {
    switch (object.form) {
    case CELL: return "cell " + placeName(object);
    case STORAGE: return "storage";
    case TENSOR: return headOf(object.head);
    case FUNCTION: case CLASS: return object.head;
    case INSTANCE: return object.head + " object";
    }
    return object.head + (object.size > FOLDED_ABOVE ? " of " + object.size : "");
}

function boxElement(number, isNew) {
    const object = state.objects[number], isTouched = isNew || state.changed.has(number);
    return element("div", { className: `object mono ${BOX_NAMES[object.form]}-box` + (isTouched ? " touched-box" : ""), id: "object-" + number },
        element("div", { className: "small title" }, marked(titleOf(object)), isNew ? element("span", { className: "changed" }, " new") : "",
                isBoxed(object.cls) ? dotElement(object.cls, "class", "its class", false) : ""),
        ...contentsOf(number, object));
}

// The boxes in their columns. `before`: the state of the step before, of whose objects the others are new.
function drawBoxes(before) {
    const old = new Set();
    if (before) for (const number of findBoxes(before, groupsOf(before)).keys()) old.add(before.objects[number].place);
    const made = [...boxes.keys()].map(number => {
        const object = state.objects[number];
        return boxElement(number, before !== null && object.place > 0 && !old.has(object.place));
    });
    byId("shared").replaceChildren(...made);
    const sizes = made.map(box => ({ width: box.offsetWidth, height: box.offsetHeight }));
    arrange([...boxes].map(([number, column], i) => ({ key: keyOf(number), column, element: made[i], ...sizes[i] })));
}

// Chooses which objects have a box, before anything is drawn of this state: those that are nearest to the frame that runs.
function chooseBoxes() {
    const groups = groupsOf(state), found = findBoxes(state, groups), hidden = allBoxes ? 0 : Math.max(0, found.size - MOST_BOXES);
    const near = hidden ? new Set([...findBoxes(state, [groups.reverse().flat()]).keys()].slice(0, MOST_BOXES)) : found;
    boxes = new Map([...found].filter(([number]) => near.has(number)));
    letFollow();
    byId("more-boxes").hidden = !hidden && !(allBoxes && found.size > MOST_BOXES);
    byId("more-boxes").textContent = hidden ? `${hidden} more objects` : "fewer objects";
}

// ---- places

const BOX_GAP = 16, GUTTER = 52; // between boxes, and between columns: room for arrows

// A box that no variable refers to any more moves behind the older one that refers to it.
function letFollow() {
    const named = new Set(state.frames.filter(Boolean).flatMap(namedBy));
    for (const number of boxes.keys()) {
        const holder = kept.get(keyOf(number));
        for (const value of state.objects[number].values) {
            const follower = isBoxed(value) && !named.has(value) && kept.get(keyOf(value >> 1));
            if (!follower || !holder || holder.order >= follower.order || follower.column > boxes.get(number)) continue;
            follower.column = Math.min(boxes.get(number) + 1, MOST_COLUMNS - 1);
            follower.top = Infinity;
            boxes.set(value >> 1, follower.column);
        }
    }
}

// Where a box of this height is free of the others, at this place or below.
function freeTop(others, top, height) {
    for (const other of others) {
        if (top + height + BOX_GAP <= other.top) break;
        top = Math.max(top, other.top + other.height + BOX_GAP);
    }
    return top;
}

function place(column, box, top) {
    box.top = freeTop(column.boxes, top, box.height);
    column.boxes.push(box);
    column.boxes.sort((a, b) => a.top - b.top);
}

// A box that was drawn before stays where it was, unless one above it has grown: places are given from the top. The
// others take the first gap. A column that has become mostly gaps is filled anew.
function arrange(list) {
    const widths = columns.map(column => column.width), topOf = box => kept.get(box.key)?.top ?? Infinity;
    columns = [];
    for (const box of list) for (let i = columns.length; i <= box.column; i++) columns[i] = { width: widths[i] || 0, boxes: [] };
    for (const box of [...list].sort((a, b) => topOf(a) - topOf(b))) place(columns[box.column], box, Number.isFinite(topOf(box)) ? topOf(box) : 0);
    let left = 0, height = 0;
    for (const column of columns) {
        const needed = column.boxes.reduce((sum, box) => sum + box.height + BOX_GAP, 0), last = column.boxes[column.boxes.length - 1];
        if (last && last.top > 2 * needed + 400) for (const box of column.boxes.splice(0)) place(column, box, 0);
        column.left = left;
        column.width = column.boxes.reduce((most, box) => Math.max(most, roomFor(box.width)), last ? column.width : 0);
        if (last) left += column.width + GUTTER;
        for (const box of column.boxes) {
            kept.set(box.key, { column: box.column, top: box.top, order: kept.get(box.key)?.order ?? kept.size });
            box.element.style.left = column.left + "px";
            box.element.style.top = box.top + "px";
            height = Math.max(height, box.top + box.height);
        }
    }
    byId("shared").style.width = Math.max(0, left - GUTTER) + "px";
    byId("shared").style.height = height + "px";
}

// Forgets where the boxes were.
function tidy() {
    kept.clear();
    columns = [];
    byId("frames").style.minWidth = "";
    draw();
}

// ---- arrows
//
// An arrow crosses no text: it leaves its row to the right, changes its height only between two columns, and passes a
// column between two boxes. To a box on its right it comes from the left, to all others from the right.

// Where a column can be passed, as near to this height as possible.
function laneAt(column, y) {
    let best = null, top = -Infinity;
    for (const end of [...column.boxes.map(box => box.top), Infinity]) {
        const free = Math.min(Math.max(y, top + 4), end - 4);
        if (best === null || Math.abs(free - y) < Math.abs(best - y)) best = free;
        const box = column.boxes.find(box => box.top === end);
        top = box ? end + box.height : end;
    }
    return best;
}

// From a place in the frames (column -1) or in a box to the box, all in the coordinates of the boxes.
function arrowPath(x, y, from, box) {
    const end = box.top + (box.column > from ? 11 : 3), right = column => columns[column].left + columns[column].width;
    // Right of what stands between these heights.
    const rightOf = (column, a, b) => column.boxes.reduce((most, box) =>
        box.top <= Math.max(a, b) && box.top + box.height >= Math.min(a, b) ? Math.max(most, column.left + box.width) : most, 0);
    let path = `M${x} ${y}`;
    const go = (leave, enter, to) => {
        const bend = enter > leave ? (enter - leave) / 2 : 26;
        path += ` H${leave} C${leave + bend} ${y} ${enter > leave ? enter - bend : enter + bend} ${to} ${enter} ${to}`;
        y = to;
    };
    const exit = from < 0 ? -GUTTER : right(from);
    if (box.column > from) {
        let leave = exit;
        for (let column = from + 1; column < box.column; column++) {
            if (!columns[column].boxes.length) continue;
            go(leave, columns[column].left, laneAt(columns[column], end));
            leave = right(column);
        }
        go(leave, columns[box.column].left - 1, end);
        return path;
    }
    let leave = exit;
    for (let column = from; column > box.column; column--) {
        if (!columns[column].boxes.length) continue;
        go(leave, right(column), laneAt(columns[column], end));
        path += ` H${columns[column].left}`;
        leave = columns[column].left;
        // between the columns the way back turns towards the left
        const to = column - 1 > box.column ? laneAt(columns[column - 1], end) : end, enter = right(column - 1);
        path += ` C${leave - 14} ${y} ${enter + 14} ${to} ${enter} ${to}`;
        y = to;
    }
    if (from === box.column) go(rightOf(columns[from], y, end), rightOf(columns[from], y, end), end);
    return path + ` H${columns[box.column].left + box.width + 1}`;
}

function svgElement(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text) made.textContent = text;
    return made;
}

function drawArrows() {
    const origin = byId("shared").getBoundingClientRect(), boxOf = new Map();
    for (const column of columns) for (const box of column.boxes) boxOf.set(box.element.id, box);
    const paths = [...byId("picture").querySelectorAll("[data-to]")].map(dot => {
        const r = dot.getBoundingClientRect(), to = boxOf.get(dot.dataset.to), holder = dot.closest(".object");
        if (!to) return null;
        const from = holder ? boxOf.get(holder.id).column : -1;
        const d = arrowPath(r.left + r.width / 2 - origin.left, r.top + r.height / 2 - origin.top, from, to);
        const path = svgElement("path", { d, class: dot.dataset.kind, "marker-end": "url(#arrow-head)" });
        path.append(svgElement("title", {}, dot.dataset.title));
        return path;
    });
    byId("paths").replaceChildren(...paths.filter(Boolean));
    byId("paths").setAttribute("transform", `translate(${byId("shared").offsetLeft} ${byId("shared").offsetTop})`);
}
