// The playground: a code cell with more around it. Files of one program as tabs, examples, the prompt, the
// stages of the compiler, the guarded cache's decisions, a link that carries the program, and a memory for
// what was typed.

const STORE = "minivm-playground";
const DECISION = /^\S+ \(\S+:\d+\): /; // a line of --trace-cache or --trace-compile; more about it is indented
const NO_DECISIONS = { // what is said where the option shows none
    "--trace-cache": "No callback was set: the example \"A hook and its cache\" sets one.",
    "--trace-compile": "torch.compile met no frame: the example \"torch.compile\" has some.",
};
const MOST_IN_LINK = 200000; // characters, unpacked

// ---- a program as text: what a link carries behind "#"

const SCHEME = "program=";

async function packProgram(files) {
    const bytes = new TextEncoder().encode(JSON.stringify(files));
    const packed = await throughStream(bytes, new CompressionStream("deflate-raw"));
    return base64OfBytes(packed).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

// Files from anywhere: only names and texts, or null.
function checkedFiles(files) {
    const good = Array.isArray(files) && files.length > 0 && files.length <= 50 &&
        files.every(file => file && typeof file.text === "string" && isFileName(file.name));
    return good && new Set(files.map(file => file.name)).size === files.length
        ? files.map(({name, text}) => ({name, text})) : null;
}

function isFileName(name) {
    return typeof name === "string" && /^[\w-][\w.-]{0,60}$/.test(name);
}

// Reads no more than it has to: a small link may unpack to a very long text.
async function unpackProgram(text) {
    const packed = bytesOfBase64(text.replace(/-/g, "+").replace(/_/g, "/"));
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder();
    let unpacked = "";
    for (let part; !(part = await reader.read()).done;) {
        unpacked += decoder.decode(part.value, {stream: true});
        if (unpacked.length > MOST_IN_LINK) throw new Error("the program is too long for a link");
    }
    return checkedFiles(JSON.parse(unpacked));
}

// ---- a stage of the compiler, beside the source

// The source line that a line of --tokens, --dis or --symtable begins with or names.
const LINE_OF = {
    "--tokens": /^(\d+),/,
    "--dis": /^ {0,5}(\d+) (?:[ >-]{4,}\d+ )/,
    "--symtable": /, line (\d+)$/,
};

// [line or 0, text] for each run of lines of the stage that belong to one line of the source.
function stageGroups(stage, text) {
    const groups = [[0, []]];
    for (const line of text.replace(/\n$/, "").split("\n")) {
        const found = LINE_OF[stage] && LINE_OF[stage].exec(line), number = found ? Number(found[1]) : 0;
        const starts = number ? number !== groups[groups.length - 1][0] : /^Disassembly of /.test(line);
        if (starts) groups.push([number, []]);
        groups[groups.length - 1][1].push(line);
    }
    return groups.filter(([, lines]) => lines.length).map(([number, lines]) => [number, lines.join("\n")]);
}

function stageTable(stage, text, source) {
    const lines = source.split("\n"), table = element("table", "stage");
    for (const [number, part] of stageGroups(stage, text)) {
        const from = LINE_OF[stage] ? number && lines[number - 1] !== undefined ? [number, number] : [1, 0] : [1, lines.length];
        const left = element("td", "");
        for (let i = from[0]; i <= from[1]; i++)
            left.append(element("div", "", element("span", "count", String(i)), ...coloured(lines[i - 1])));
        table.append(element("tr", "", left, element("td", "", part)));
    }
    return table;
}

// ---- the page

class Playground extends Cell {
    constructor(place, machine, examples) {
        super(place, machine, {text: examples[0].files[0].text});
        machine.module.then(() => this.status.textContent || this.say("Ready."), error => this.say("minivm could not be loaded: " + error));
        this.current = 0;
        this.examples = examples;
        this.addTools();
        this.tabs = element("div", "tabs");
        this.tabs.setAttribute("role", "tablist");
        this.bar.after(this.tabs);
        this.live = new Live(this);
        this.bar.append(this.live.label);
        this.hookList = element("ol", "hook");
        this.hookList.hidden = true;
        this.player.before(this.hookList);
        this.open(examples[0].files);
    }

    addTools() {
        const choose = element("select", "", element("option", "", "Examples …"),
            ...this.examples.map(example => element("option", "", example.title)));
        choose.setAttribute("aria-label", "Examples");
        choose.addEventListener("change", () => {
            const example = this.examples[choose.selectedIndex - 1];
            choose.selectedIndex = 0;
            if (!example) return;
            this.open(example.files);
            this.keep();
        });
        const stages = element("select", "", element("option", "", "Stages …"));
        for (const [stage, title] of [["--tokens", "Tokens"], ["--ast", "Tree"], ["--symtable", "Scopes"], ["--dis", "Bytecode"],
            ["--decompile", "Decompile"], ["--trace-compile", "Compile"], ["--compile-html", "Page of torch.compile"]]) {
            const option = element("option", "", title);
            option.value = stage;
            stages.append(option);
        }
        stages.setAttribute("aria-label", "Stages of the compiler");
        stages.addEventListener("change", () => {
            const stage = stages.value, title = stages.selectedOptions[0].text;
            if (stage in NO_DECISIONS) this.showDecisions(stage);
            else if (stage === "--compile-html") this.runForPage(stage, "What torch.compile did");
            else if (stages.selectedIndex) this.showStage(stage, title);
            stages.selectedIndex = 0;
        });
        this.bar.append(
            button("Prompt", "Run the program, then talk to it", () => this.prompt()), stages,
            button("Hook", "Run it and show what the guarded cache of a callback decides (--trace-cache)", () => this.showDecisions("--trace-cache")),
            choose, button("Link", "A link that carries the program", () => this.link()),
            button("?", "What the keys do", () => document.getElementById("help").showModal()));
    }

    // ---- files

    open(files) {
        this.stop();
        this.files = files.map(file => ({...file}));
        this.select(0);
        this.live.changed();
    }

    stop() {
        super.stop();
        this.live.stop();
    }

    select(index) {
        this.current = index;
        this.editor.text = this.files[index].text;
        this.drawTabs();
    }

    drawTabs() {
        const tabs = this.files.map((file, index) => {
            const tab = button(file.name, "Edit " + file.name, () => this.select(index));
            tab.setAttribute("role", "tab");
            tab.setAttribute("aria-selected", String(index === this.current));
            return tab;
        });
        const more = button("+", "Another file of the program", () => this.askForFile(more));
        this.tabs.replaceChildren(...tabs, more);
        if (this.current > 0)
            this.tabs.append(button("×", "Remove " + this.files[this.current].name, () => this.removeFile()));
    }

    askForFile(more) {
        const field = element("input", "file-name");
        field.setAttribute("aria-label", "Name of the new file");
        field.placeholder = "name.mpy";
        field.addEventListener("keydown", event => {
            if (event.key === "Escape") this.drawTabs();
            if (event.key === "Enter") this.addFile(field.value.trim());
        });
        more.replaceWith(field);
        field.focus();
    }

    addFile(name) {
        if (!isFileName(name) || this.hasFile(name)) {
            this.say(`A file cannot be named "${name}" here: letters, digits, "_", "-" and ".", and not twice.`);
            return;
        }
        this.files.push({name, text: ""});
        this.select(this.files.length - 1);
        this.editor.focus();
        this.keep();
    }

    removeFile() {
        this.files.splice(this.current, 1);
        this.select(0);
        this.keep();
    }

    edited() {
        this.files[this.current].text = this.editor.text;
        this.keep();
        this.live.changed();
    }

    showLine(name, line) {
        this.select(this.files.findIndex(file => file.name === name));
        this.editor.mark(line);
    }

    // ---- what stays

    // The program of a link stays in the address until it is changed.
    keep() {
        if (location.hash) history.replaceState(null, "", location.pathname + location.search);
        try {
            localStorage.setItem(STORE, JSON.stringify(this.files));
        } catch (error) { /* no room, or no leave: the page works without */ }
    }

    kept() {
        try {
            return checkedFiles(JSON.parse(localStorage.getItem(STORE)));
        } catch (error) {
            return null;
        }
    }

    // What the link carries, else what was typed before.
    async restore() {
        let files = null;
        if (location.hash.startsWith("#" + SCHEME)) {
            files = await unpackProgram(location.hash.slice(SCHEME.length + 1)).catch(() => null);
            this.say(files ? "The program is the link's: read it before you run it." : "The link's program cannot be read.");
        }
        files = files || this.kept();
        if (files) this.open(files);
    }

    async link() {
        const link = location.href.split("#")[0] + "#" + SCHEME + await packProgram(this.files);
        const field = element("input", "link");
        field.value = link;
        field.readOnly = true;
        field.setAttribute("aria-label", "Link to this program");
        this.player.replaceChildren(field);
        field.focus();
        field.select();
        this.say("The link is below: it is " + link.length + " characters long, and the whole program is in it.");
    }

    // ---- stages and the hook

    async launch(words, more) {
        this.hookList.hidden = !words.some(word => word in NO_DECISIONS);
        this.hookList.replaceChildren();
        this.isInDecision = false;
        return super.launch(words, more);
    }

    async showStage(stage, title) {
        const file = this.files[this.current], {text, status} = await this.show([stage, file.name]);
        this.player.replaceChildren(status ? element("pre", "error", text) : stageTable(stage, text, file.text));
        this.say(`${title} of ${file.name} (minivm ${stage}):`);
    }

    // Runs the program: what is decided depends on what it does.
    async showDecisions(option) {
        const end = await this.launch(["-u", option, this.files[0].name]);
        if (end && !this.hookList.firstChild) this.hookList.append(element("li", "", NO_DECISIONS[option]));
    }

    print(text, isError) {
        if (!isError || this.hookList.hidden) super.print(text, isError);
        else for (const line of text.split(/(?<=\n)/)) this.printDecision(line);
    }

    // Decisions are lines on standard error; they have a list of their own.
    printDecision(line) {
        const begins = DECISION.test(line);
        this.isInDecision = begins || (this.isInDecision && line.startsWith("    "));
        if (begins) this.hookList.append(element("li", "", line.trimEnd()));
        else if (this.isInDecision) this.hookList.lastChild.append("\n" + line.trimEnd());
        else super.print(line, true);
    }
}

const playground = new Playground(document.getElementById("playground"), machine,
    JSON.parse(document.getElementById("examples").textContent));
Promise.all([machine.module, playground.restore()]).then(() => {
    document.body.dataset.ready = String(Math.round(performance.now()));
    machine.warmUp();
});
