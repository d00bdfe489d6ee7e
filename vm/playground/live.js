// The drawing that follows the program as it is typed: a pause after the last key it runs, with its steps recorded, and
// the page of the run takes the place of the one before, at the same step or at its end. A program that fails is marked
// in the editor, and the last drawing stays. Nothing runs longer than LIVE_STEPS instructions.

const LIVE_PAUSE = 300; // milliseconds without a key
const LIVE_STEPS = 20000;
const LIVE_STORE = "minivm-live";
const AT_LIMIT = 122; // the status of a program that --max-steps has ended

class Live {
    constructor(cell) {
        this.cell = cell;
        this.run = this.timer = null;
        this.box = element("input", "");
        this.box.type = "checkbox";
        this.box.checked = this.kept();
        this.box.addEventListener("change", () => this.choose());
        this.label = element("label", "live", this.box, " as you type");
        this.label.title = "Draw what the program does while you write it";
    }

    kept() {
        try {
            return localStorage.getItem(LIVE_STORE) === "on";
        } catch (error) {
            return false;
        }
    }

    choose() {
        try {
            localStorage.setItem(LIVE_STORE, this.box.checked ? "on" : "off");
        } catch (error) { /* it holds for this page */ }
        this.stop();
        this.changed();
    }

    // The program is another: it runs when nothing more is typed.
    changed() {
        clearTimeout(this.timer);
        if (this.box.checked) this.timer = setTimeout(() => this.again(), LIVE_PAUSE);
    }

    stop() {
        clearTimeout(this.timer);
        if (this.run) this.run.stop();
        this.run = null;
    }

    async again() {
        this.cell.stop();
        const {machine, files} = this.cell, written = [];
        const words = ["-u", "--max-steps", String(LIVE_STEPS), "--trace-html", PAGE_FILE, files[0].name];
        const run = this.run = machine.run({files, words, keep: true, onOutput: (text, isError) => written.push([text, isError])});
        const {status, failed, files: made = []} = await run.ended;
        if (run !== this.run) return;
        this.run = null;
        const page = made.find(file => file.name === PAGE_FILE);
        if (status === 0 && page) this.show(new TextDecoder().decode(page.bytes), written);
        else this.sayWhatFailed(status, failed, written);
    }

    sayWhatFailed(status, failed, written) {
        const errors = written.filter(([, isError]) => isError).map(([text]) => text).join("");
        this.cell.errors = errors;
        const place = this.cell.errorPlace(), {files, current, editor} = this.cell;
        if (place && place[0] === files[current].name) editor.mark(place[1]);
        const why = failed || (status === AT_LIMIT ? `more than ${LIVE_STEPS} instructions` : errors.trimEnd().split("\n").pop());
        this.cell.say(`${why || "It ended with status " + status} (the drawing is of the last program that ran)`);
    }

    // The new page comes in sight when it is drawn. Where the old one was not at its end, neither is the new one.
    show(html, written) {
        const cell = this.cell, old = cell.player.querySelector("iframe.trace");
        const body = old && old.contentDocument && old.contentDocument.body, step = body ? Number(body.dataset.step) : 0;
        const wasAtEnd = !body || String(step) === old.contentDocument.getElementById("total").textContent;
        cell.editor.mark(0);
        cell.errors = "";
        cell.output.replaceChildren();
        for (const [text, isError] of written) cell.print(text, isError);
        const frame = element("iframe", "trace coming");
        frame.title = "The run, step by step";
        frame.srcdoc = html;
        for (const other of [...cell.player.children]) if (other !== old) other.remove();
        cell.player.append(frame);
        frame.addEventListener("load", () => {
            frame.contentWindow.go(wasAtEnd ? Infinity : step);
            frame.classList.remove("coming");
            if (old) old.remove();
            cell.say("Drawn as you type.");
        });
    }
}
