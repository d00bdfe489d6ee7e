// Live code cells for the pages of lessons, or anybody's: `make wasm` writes build/wasm/minivm-cell.js, one file
// with all that it needs. A page, opened from a disk or a server, asks for it once:
//
//     <script src="minivm-cell.js" defer></script>
//     <pre class="minivm">print("hello")</pre>
//     <pre class="minivm" data-name="fib.mpy" data-options="--dis" data-files='{"other.mpy": "x = 1\n"}'>…</pre>
//
// Each <pre> of that class becomes a cell (cell.js): data-name is its file, data-options are minivm's for Run,
// data-files is what lies beside it. An exercise (exercise.js) has one <pre> for each of its files, and its data
// (lessons/in_page.mpy) once:
//
//     <pre class="minivm" data-exercise="13" data-name="lessons/work/13/insertion.mpy">…</pre>
//     <script type="application/json" id="exercise-13">…</script>
//
// All cells share one machine, which is unpacked when one of them is touched first; nothing runs by itself.
// A cell is <div class="minivm-cell">; its parts lie in a shadow root, so the page's styles and its own do
// not meet, and keys that are pressed in it do not leave it. A page with a content security policy must
// allow what the playground's allows, and this file.

// Of each exercise of the page its data, and its cells.
const exercises = new Map();

function exerciseOf(number) {
    if (!exercises.has(number)) {
        const data = JSON.parse(document.getElementById("exercise-" + number).textContent);
        exercises.set(number, {...data, cells: []});
    }
    return exercises.get(number);
}

// {name: text} as Machine wants it.
function filesOf(texts) {
    return Object.entries(texts).map(([name, text]) => ({name, text}));
}

function optionsOf({name = "main.mpy", options = "", files = "{}"}, text) {
    return {text, name, options: options.split(" ").filter(word => word), others: filesOf(JSON.parse(files))};
}

// The <pre> becomes the cell's place.
function bringToLife(pre, machine) {
    const host = element("div", "minivm-cell"), place = element("div", "");
    const options = optionsOf(pre.dataset, pre.textContent), number = pre.dataset.exercise;
    host.attachShadow({mode: "open"}).append(element("style", "", STYLES), place);
    pre.replaceWith(host);
    host.cell = number ? new ExerciseCell(place, machine, exerciseOf(number), options) : new EmbeddedCell(place, machine, options);
    for (const kind of ["keydown", "keypress", "keyup"]) host.addEventListener(kind, event => event.stopPropagation());
    for (const kind of ["pointerenter", "focusin"]) host.addEventListener(kind, () => machine.load(), {once: true});
}

// A cell that goes back to the page's text.
class EmbeddedCell extends Cell {
    constructor(place, machine, options) {
        super(place, machine, options);
        this.original = options.text;
        this.resetButton = button("Reset", "The text of the page again", () => this.reset());
        this.resetButton.hidden = true;
        this.bar.append(this.resetButton);
    }

    edited() {
        super.edited();
        this.resetButton.hidden = this.editor.text === this.original;
    }

    reset() {
        this.stop();
        this.editor.text = this.original;
        this.edited();
    }
}

class LateMachine extends Machine {
    load() {
        if (!this.isLoading) {
            this.isLoading = true;
            this.take(MODULE);
            this.takeLast();
        }
    }

    run(what) {
        this.load();
        return super.run(what);
    }
}

function bringAllToLife() {
    const machine = new LateMachine(WORKER), marked = [...document.querySelectorAll("pre.minivm")];
    for (const pre of marked) bringToLife(pre, machine);
    document.body.dataset.cells = String(marked.length);
}
