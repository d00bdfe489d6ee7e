// The objects of a step: each a box, once, with an arrow for each reference to it; or their text, where they are wanted
// in line.
//
// What the frames lead to stands in columns: in the first what they refer to themselves, in the next what that refers to.
// Cells, functions with a closure, tensors and storages are boxes in either case, for what they share cannot be seen in
// a text. A box of many items is folded until it is clicked.
const FOLDED_ABOVE = 12, FOLDED_FIRST = 8, FOLDED_LAST = 2; // items of a box
const LONG_TEXT = 64, LONG_FIRST = 44, LONG_LAST = 14;
const MOST_BOXES = 80, MOST_COLUMNS = 12;
const ALWAYS_BOXES = [FUNCTION, CELL, TENSOR, STORAGE];
const BOX_NAMES = ["sequence", "set", "dict", "instance", "function", "cell", "tensor", "storage", "class"];

const opened = new Set(); // boxes by their place, and long texts, that are not folded
let allBoxes = false;
let boxes = new Map(); // number of an object -> its column, of those that have a box in this step

// ---- as text

const BRACKETS = { list: ["[", "]"], tuple: ["(", ")"], set: ["{", "}"], dict: ["{", "}"], frozenset: ["frozenset({", "})"],
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
const placeName = object => "\u2026" + object.place.toString(16).padStart(5, "0").slice(-5);

// ---- which objects have a box

const hasBox = form => settings.values === "arrows" || ALWAYS_BOXES.includes(form);

// The objects that frames lead to, the nearest first, each with its column.
function findBoxes(state) {
    const found = new Map(), queue = [];
    const meet = (number, column) => {
        if (number === undefined || number < 0 || !(number & 1) || found.has(number >> 1)) return;
        if (!state.objects[number >> 1] || !hasBox(state.objects[number >> 1].form)) return;
        found.set(number >> 1, Math.min(column, MOST_COLUMNS - 1));
        queue.push(number >> 1);
    };
    for (const frame of [...state.frames].reverse())
        if (frame) [...frame.slots, ...frame.names.values(), ...frame.stack].forEach(number => meet(number, 0));
    for (let i = 0; i < queue.length; i++)
        for (const number of state.objects[queue[i]].values) meet(number, found.get(queue[i]) + 1);
    return found;
}

// Is this the number of an object that has a box?
const isBoxed = number => number >= 0 && (number & 1) === 1 && boxes.has(number >> 1);

// ---- values

// A text that is long opens with a click.
function textElement(text, className) {
    const isLong = text.length > LONG_TEXT, isFolded = isLong && !opened.has(text);
    const shown = isFolded ? text.slice(0, LONG_FIRST) + " \u2026 " + text.slice(-LONG_LAST) : text;
    const made = element("span", { className }, marked(shown));
    if (isLong) made.append(element("button", { className: "fold", title: isFolded ? "Show all of it" : "Show less",
                                                onclick: () => toggle(text) }, isFolded ? "+" : "\u2212"));
    return made;
}

function toggle(key) {
    if (!opened.delete(key)) opened.add(key);
    draw();
}

// What stands for a value; where it has a box, a dot from which an arrow leads there. `words`: with its text as well.
function valueElement(number, changed, { kind = "owner", title = "", words = false } = {}) {
    const className = "value" + (changed ? " changed" : "");
    const value = valueOf(state, number);
    if (!value) return element("span", { className: "nothing" + (changed ? " changed" : "") }, "unbound");
    if (!isBoxed(number)) return textElement(inlineText(state, number), className);
    const text = value.form === CELL ? "cell " + placeName(value) : value.form === TENSOR ? headOf(value.head)
        : words ? inlineText(state, number) : "";
    const dot = element("span", { className: "dot", title: inlineText(state, number) });
    dot.dataset.to = "object-" + value.object;
    dot.dataset.kind = kind + (changed ? " new-arrow" : "");
    dot.dataset.title = title;
    return element("span", { className }, text ? marked(text) : "", dot);
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
    const parts = [];
    if (canFold) parts.push(element("button", { className: "fold", onclick: () => toggle(object.place) },
                                    hidden ? `\u2026 ${hidden} more` : "fold"));
    if (missing > 0) parts.push(element("span", { className: "small" }, ` ${missing} in between are not recorded`));
    return parts.length ? element("div", {}, ...parts) : null;
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
    for (let i = 0; i < object.attributes; i++)
        rows.push(rowElement(marked(inlineText(state, object.values[2 * i])), number, object, 2 * i + 1,
                             object.form === FUNCTION ? "closure" : "held"));
    return rows;
}

// Items in a row, as they are in memory; of a dict in lines.
function itemsElement(number, object) {
    const folded = foldedItems(object), fold = foldButton(object, folded);
    if (object.form === DICT) {
        const rows = folded.shown.map(item => rowElement(valueElement(object.values[item.key], isChanged(number, item.key), { kind: "held" }),
                                                         number, object, item.at, "held"));
        return [rows.length ? element("table", {}, element("tbody", {}, ...rows)) : null, fold];
    }
    const cells = folded.shown.map(item => element("span", { className: "item" },
        element("span", { className: "small index" }, object.form === SEQUENCE ? String(item.index) : ""),
        childElement(number, object, item.at, "held")));
    if (fold && folded.hidden + Math.max(0, folded.missing) > 0 && object.form === SEQUENCE)
        cells.splice(folded.hidden ? FOLDED_FIRST : cells.length - ENDS, 0, element("span", { className: "item" }, "\u2026"));
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
    const rows = attributeRows(number, object);
    const table = rows.length ? [element("table", {}, element("tbody", {}, ...rows))] : [];
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
        element("div", { className: "small title" }, marked(titleOf(object)), isNew ? element("span", { className: "changed" }, " new") : ""),
        ...contentsOf(number, object));
}

// The boxes in their columns. `before`: the state of the step before, of whose objects the others are new.
function drawBoxes(before) {
    const old = new Set();
    if (before) for (const number of findBoxes(before).keys()) old.add(before.objects[number].place);
    const columns = [];
    for (const [number, column] of boxes) {
        const object = state.objects[number], isNew = before !== null && object.place > 0 && !old.has(object.place);
        (columns[column] ||= element("div", { className: "heap-column" })).append(boxElement(number, isNew));
    }
    byId("shared").replaceChildren(...columns.filter(Boolean));
}

// Chooses which objects have a box, before anything is drawn of this state.
function chooseBoxes() {
    const found = findBoxes(state), hidden = allBoxes ? 0 : Math.max(0, found.size - MOST_BOXES);
    boxes = hidden ? new Map([...found].slice(0, MOST_BOXES)) : found;
    byId("more-boxes").hidden = !hidden && !(allBoxes && found.size > MOST_BOXES);
    byId("more-boxes").textContent = hidden ? `${hidden} more objects` : "fewer objects";
}

// ---- arrows

function arrowPath(a, b) {
    const x1 = a.x, y1 = a.y, isAhead = b.left > x1;
    const x2 = isAhead ? b.left - 1 : b.right + 1, y2 = b.y;
    const bend = isAhead ? Math.max(16, (x2 - x1) / 2) : 28;
    return `M${x1} ${y1} C${(isAhead ? x1 : Math.max(x1, x2)) + bend} ${y1} ${isAhead ? x2 - bend : Math.max(x1, x2) + bend} ${y2} ${x2} ${y2}`;
}

function svgElement(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text) made.textContent = text;
    return made;
}

function drawArrows() {
    const picture = byId("picture"), origin = picture.getBoundingClientRect(), places = new Map();
    const placeOf = id => {
        if (!places.has(id)) {
            const r = byId(id)?.getBoundingClientRect();
            places.set(id, r && { left: r.left - origin.left, right: r.right - origin.left, y: r.top - origin.top + 11 });
        }
        return places.get(id);
    };
    const paths = [...picture.querySelectorAll("[data-to]")].map(dot => {
        const r = dot.getBoundingClientRect(), to = placeOf(dot.dataset.to);
        if (!to) return null;
        const from = { x: r.left + r.width / 2 - origin.left, y: r.top + r.height / 2 - origin.top };
        const path = svgElement("path", { d: arrowPath(from, to), class: dot.dataset.kind, "marker-end": "url(#arrow-head)" });
        path.append(svgElement("title", {}, dot.dataset.title));
        return path;
    });
    byId("paths").replaceChildren(...paths.filter(Boolean));
}
