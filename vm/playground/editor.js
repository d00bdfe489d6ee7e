// An editor of mini-Python in a page: line numbers, colours, Tab. It is a textarea with transparent text,
// over an element that shows the same text in colours.
//
//     const editor = new Editor(element);       fills the element
//     editor.text = "print(1)\n";
//     editor.onChange = () => {};
//     editor.mark(3);                           marks line 3 (an error), mark(0) none
//
// Tab indents and Shift-Tab takes back; after Escape, Tab leaves the editor, as everywhere in the page.

const KEYWORDS = new Set(("False None True and as assert async await break class continue def del elif else except " +
    "finally for from global if import in is lambda nonlocal not or pass raise return try while with yield").split(" "));
// In the order of trial: a comment, a string (to the end where it is not closed), a number, a word.
const TOKEN = new RegExp([
    "(#[^\\n]*)",
    "([rRbBuUfF]{0,2}(?:'''(?:\\\\[^]|[^\\\\])*?(?:'''|$)|\"\"\"(?:\\\\[^]|[^\\\\])*?(?:\"\"\"|$)" +
        "|'(?:\\\\[^]|[^\\\\'\\n])*'?|\"(?:\\\\[^]|[^\\\\\"\\n])*\"?))",
    "(\\b\\d[\\w.]*)",
    "([^\\W\\d]\\w*)",
].join("|"), "gu");
const MOST_COLOURED = 100000; // characters: longer text is shown by the textarea itself
const INDENT = "    ";

// The text as a list of [class, part]; the class is "" for what has no colour.
function colour(text) {
    const parts = [];
    let end = 0, before = "";
    for (const found of text.matchAll(TOKEN)) {
        const [whole, comment, string, number, word] = found;
        const defined = before === "def" || before === "class";
        const kind = comment ? "comment" : string ? "string" : number ? "number"
            : KEYWORDS.has(word) ? "keyword" : defined ? "defined" : "";
        parts.push(["", text.slice(end, found.index)], [kind, whole]);
        end = found.index + whole.length;
        before = word;
    }
    parts.push(["", text.slice(end)]);
    return parts.filter(([, part]) => part);
}

function element(name, classes, ...children) {
    const made = document.createElement(name);
    if (classes) made.className = classes;
    made.append(...children);
    return made;
}

function coloured(text) {
    return colour(text).map(([kind, part]) => kind ? element("span", "token-" + kind, part) : part);
}

class Editor {
    constructor(place, label = "Program") {
        this.onChange = () => {};
        this.marked = 0;
        this.tabLeaves = false;
        this.numbers = element("div", "editor-numbers");
        this.numbers.setAttribute("aria-hidden", "true");
        this.shown = element("pre", "editor-shown");
        this.shown.setAttribute("aria-hidden", "true");
        this.area = element("textarea", "editor-area");
        Object.assign(this.area, {spellcheck: false, autocapitalize: "off", autocomplete: "off", wrap: "off"});
        this.area.setAttribute("aria-label", label);
        place.classList.add("editor");
        place.append(this.numbers, element("div", "editor-text", this.shown, this.area));
        this.area.addEventListener("input", () => this.changed());
        this.area.addEventListener("keydown", event => this.key(event));
        this.area.addEventListener("blur", () => { this.tabLeaves = false; });
        this.draw();
    }

    get text() {
        return this.area.value;
    }

    set text(text) {
        this.area.value = text;
        this.mark(0);
        this.draw();
    }

    focus() {
        this.area.focus();
    }

    changed() {
        this.marked = 0;
        this.draw();
        this.onChange();
    }

    draw() {
        const isLong = this.text.length > MOST_COLOURED;
        this.area.classList.toggle("plain", isLong);
        this.shown.replaceChildren(...isLong ? [] : coloured(this.text), "\n");
        const count = this.text.split("\n").length;
        this.numbers.replaceChildren(...Array.from({length: count}, (_, i) =>
            element("div", i + 1 === this.marked ? "marked" : "", String(i + 1))));
    }

    mark(line) {
        this.marked = line;
        this.draw();
        const number = this.numbers.children[line - 1];
        if (number) number.scrollIntoView({block: "nearest"});
    }

    goTo(line) {
        const lines = this.text.split("\n"), start = lines.slice(0, line - 1).join("\n").length + (line > 1);
        this.focus();
        this.area.setSelectionRange(start, start + (lines[line - 1] || "").length);
    }

    // As typed: it can be undone.
    type(text) {
        if (!document.execCommand("insertText", false, text)) {
            this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
            this.changed();
        }
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "Escape") this.tabLeaves = true;
        else if (event.key === "Tab" && !this.tabLeaves) this.tab(event);
        else if (event.key === "Enter") this.enter(event);
        else if (event.key !== "Shift" && event.key !== "Tab") this.tabLeaves = false;
    }

    tab(event) {
        event.preventDefault();
        const {selectionStart: start, selectionEnd: end} = this.area;
        if (start === end && !event.shiftKey) {
            const column = start - (this.text.lastIndexOf("\n", start - 1) + 1);
            this.type(INDENT.slice(column % INDENT.length));
            return;
        }
        const from = this.text.lastIndexOf("\n", start - 1) + 1;
        const lines = this.text.slice(from, end).split("\n");
        const moved = lines.map(line => event.shiftKey ? line.replace(/^ {1,4}/, "") : line && INDENT + line).join("\n");
        this.area.setSelectionRange(from, end);
        if (moved !== lines.join("\n")) this.type(moved);
        this.area.setSelectionRange(start === end ? from + moved.length : from, from + moved.length);
    }

    // The new line is indented as this one, and more after a colon.
    enter(event) {
        event.preventDefault();
        const start = this.area.selectionStart, line = this.text.slice(this.text.lastIndexOf("\n", start - 1) + 1, start);
        const more = /:\s*(#.*)?$/.test(line) ? INDENT : "";
        this.type("\n" + line.match(/^ */)[0] + more);
    }
}
