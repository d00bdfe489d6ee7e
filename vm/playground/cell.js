// A code cell: an editor with Run, Stop and Step through, and below it what the program prints.
//
//     const cell = new Cell(place, machine, {text: "print(1)\n"});
//
// The playground is made of one (playground.js), and a page of a lesson may have many (embed.js); all share one
// Machine. `files[0]` is the program, others lie beside it; `options` are minivm's, for Run. show() runs
// minivm with other words and gives what it wrote.

const PAGE_FILE = ".page.html"; // of the options that write a page

function button(label, title, action) {
    const made = element("button", "", label);
    made.type = "button";
    made.title = title;
    made.addEventListener("click", action);
    return made;
}

class Cell {
    constructor(place, machine, {text = "", name = "main.mpy", options = [], others = []} = {}) {
        this.machine = machine;
        this.place = place;
        this.options = options;
        this.stopButton = button("Stop", "Stop the program (Ctrl-.)", () => this.stop());
        this.bar = element("div", "bar", ...this.buttons());
        this.bar.setAttribute("role", "toolbar");
        this.status = element("div", "status");
        this.status.setAttribute("role", "status");
        const editor = element("div", "");
        this.output = element("pre", "output");
        this.output.tabIndex = 0;
        this.output.setAttribute("aria-label", "Output");
        this.input = this.makeInput();
        this.player = element("div", "player");
        this.files = [{name, text}, ...others];
        place.classList.add("cell");
        place.append(this.bar, editor, this.status, element("div", "console", this.output, this.input), this.player);
        this.editor = new Editor(editor);
        this.editor.text = text;
        this.editor.onChange = () => this.edited();
        place.addEventListener("keydown", event => this.key(event));
        this.setRunning(null);
    }

    buttons() {
        return [button("Run", "Run the program (Ctrl-Enter)", () => this.start()), this.stopButton,
            button("Step through", "Record the run and play it, forwards and backwards (Shift-Ctrl-Enter)", () => this.stepThrough())];
    }

    makeInput() {
        const field = element("input", "answer"), form = element("form", "input", element("span", "arrow", ">"), field,
            button("End of input", "What Ctrl-D is at a terminal", () => this.answer(null)));
        field.setAttribute("aria-label", "A line for the program");
        Object.assign(field, {autocomplete: "off", autocapitalize: "off", spellcheck: false});
        form.hidden = true;
        form.addEventListener("submit", event => {
            event.preventDefault();
            this.answer(field.value);
        });
        this.field = field;
        return form;
    }

    edited() {
        this.files[0].text = this.editor.text;
    }

    say(text) {
        this.status.textContent = text;
    }

    key(event) {
        if (!event.ctrlKey && !event.metaKey) return;
        const action = event.key === "." ? () => this.stop()
            : event.key === "Enter" ? () => event.shiftKey ? this.stepThrough() : this.start() : null;
        if (!action) return;
        event.preventDefault();
        action();
    }

    // ---- runs

    setRunning(run) {
        this.running = run;
        this.stopButton.disabled = !run;
        this.input.hidden = true;
        this.place.dataset.state = run ? "running" : "idle";
    }

    launch(words, more = {}) {
        return this.follow(listeners => this.machine.run({files: this.files, words, ...listeners, ...more}));
    }

    // One at a time: a new run ends the one before.
    async follow(begin) {
        this.stop();
        this.output.replaceChildren();
        this.player.replaceChildren();
        this.editor.mark(0);
        this.errors = "";
        const began = performance.now();
        const run = begin({
            onOutput: (text, isError) => run === this.running && this.print(text, isError),
            onInput: () => this.ask(),
        });
        this.setRunning(run);
        this.say("Running …");
        const end = await run.ended;
        if (run !== this.running) return null;
        this.setRunning(null);
        this.sayHowItEnded(end, performance.now() - began);
        return end;
    }

    sayHowItEnded({status, failed}, milliseconds) {
        const time = ` (${(milliseconds / 1000).toFixed(2)} s)`;
        if (failed) this.say("minivm has failed: " + failed);
        else if (status === null) this.say("Stopped." + time);
        else this.say((status ? `Ended with status ${status}.` : "Ended.") + time);
        if (status) this.markError();
    }

    async start() {
        const end = await this.launch(["-u", ...this.options, this.files[0].name]);
        if (end) this.showFiles(end.files);
    }

    // The program, and then a prompt where its names are known.
    async prompt() {
        await this.launch(["-u", "-q", "-i", this.files[0].name]);
    }

    stop() {
        if (this.running) this.running.stop();
        const run = this.running;
        if (!run) return;
        this.setRunning(null);
        this.say("Stopped.");
    }

    stepThrough() {
        return this.runForPage("--trace-html", "The run, step by step");
    }

    // Runs the program with an option that writes a page.
    async runForPage(option, title) {
        const end = await this.launch(["-u", option, PAGE_FILE, this.files[0].name], {keep: true});
        const page = end && end.files.find(file => file.name === PAGE_FILE);
        if (page) this.showPage(new TextDecoder().decode(page.bytes), title);
    }

    showPage(html, title) {
        const frame = element("iframe", "trace");
        frame.title = title;
        frame.srcdoc = html;
        this.player.replaceChildren(frame);
        frame.addEventListener("load", () => {
            frame.scrollIntoView({block: "nearest"});
            frame.contentWindow.focus();
        });
    }

    // What another use of minivm prints, such as a stage of the compiler.
    async show(words) {
        let text = "";
        const end = await this.machine.run({files: this.files, words, onOutput: part => { text += part; }}).ended;
        return {text: text + (end.failed || ""), status: end.status};
    }

    // ---- output and input

    print(text, isError) {
        if (isError) this.errors += text;
        const last = this.output.lastChild;
        if (last && last.className === (isError ? "error" : "normal")) last.append(text);
        else this.output.append(element("span", isError ? "error" : "normal", text));
        this.scrollSoon();
    }

    // Once for all that comes before the page is drawn: each time costs a layout of all the text.
    scrollSoon() {
        if (this.scrolls) return;
        this.scrolls = true;
        requestAnimationFrame(() => {
            this.scrolls = false;
            this.output.scrollTop = this.output.scrollHeight;
        });
    }

    ask() {
        this.input.hidden = false;
        this.field.value = "";
        this.field.focus();
        this.say("The program waits for a line.");
        return new Promise(resolve => { this.whenAnswered = resolve; });
    }

    answer(line) {
        this.input.hidden = true;
        this.output.append(element("span", "typed", line === null ? "\n" : line + "\n"));
        this.say("Running …");
        this.whenAnswered(line);
    }

    // The line of the program that a traceback names last: [file, line], or null.
    errorPlace() {
        const places = [...this.errors.matchAll(/File "(?:\/program\/)?([^"]*)", line (\d+)/g)].filter(found => this.hasFile(found[1]));
        const place = places.pop();
        return place ? [place[1], Number(place[2])] : null;
    }

    markError() {
        const place = this.errorPlace();
        if (place) this.showLine(...place);
    }

    hasFile(name) {
        return this.files.some(file => file.name === name);
    }

    showLine(name, line) {
        if (name === this.files[0].name) this.editor.mark(line);
    }

    // Files that the program has made: pictures are shown, text too, others offered.
    showFiles(files) {
        for (const {name, bytes} of files) {
            const isPicture = /\.(svg|png|gif|jpe?g)$/i.test(name);
            const type = !isPicture ? "text/plain" : /svg$/i.test(name) ? "image/svg+xml" : "image/" + name.split(".").pop();
            const box = element("details", "file", element("summary", "", `${name} (${bytes.length} bytes)`));
            box.open = isPicture;
            if (isPicture) {
                const picture = element("img");
                picture.alt = name;
                picture.src = "data:" + type + ";base64," + base64OfBytes(bytes);
                box.append(picture);
            } else box.append(element("pre", "", new TextDecoder().decode(bytes.slice(0, 100000))));
            this.player.append(box);
        }
    }
}

function base64OfBytes(bytes) {
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary);
}
