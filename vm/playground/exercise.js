// An exercise in a page: a student's files are checked as `./minivm lessons run` checks them. The page starts
// what lessons/checker.mpy starts as processes: each check is a fresh instance in a Worker, under limits.
//
//     new ExerciseCell(place, machine, {files, plan, judge, cells: []}, {text, name})
//
// `files` are those of the lesson that checking needs, `plan` and `judge` words of minivm's command line
// (lessons/in_page.mpy): the first writes plan.json, what is to be run; the second is given the answers as
// runs.json, and shows what became of the checks. `cells` are all cells of the exercise. What was typed
// survives a reload.

const MOST_AT_ONCE = 4;

class ExerciseCheck {
    constructor(machine, files, {plan, judge}, {onOutput, onProgress}) {
        Object.assign(this, {machine, files, onOutput, onProgress});
        this.runs = new Set();
        this.ended = new Promise(resolve => { this.resolve = resolve; });
        this.check(plan, judge).then(this.resolve);
    }

    stop() {
        this.isOver = true;
        for (const run of this.runs) run.stop();
        this.resolve({status: null, files: []});
    }

    async check(plan, judge) {
        const seed = String(crypto.getRandomValues(new Uint16Array(1))[0]);
        const planned = await this.show([...plan, seed], []), file = planned.files.find(({name}) => name === "plan.json");
        if (!file) return planned;
        const {programs, runs, limits} = JSON.parse(new TextDecoder().decode(file.bytes));
        const answers = await this.inTurns(runs, async run => ({...run, ...await this.answer(programs[run.kind], run.input, limits)}));
        return this.show([...judge, seed], [{name: "runs.json", text: JSON.stringify(answers)}]);
    }

    begin(what) {
        const run = this.machine.run(what);
        this.runs.add(run);
        run.ended.then(() => this.runs.delete(run));
        if (this.isOver) run.stop();
        return run;
    }

    show(words, more) {
        return this.begin({files: [...this.files, ...more], words, onOutput: this.onOutput}).ended;
    }

    // Some at a time; their results are in the order of `items`.
    async inTurns(items, action) {
        const results = new Array(items.length), turns = items.entries();
        let done = 0;
        const work = async () => {
            for (const [i, item] of turns) {
                results[i] = await action(item);
                this.onProgress(++done, items.length);
            }
        };
        await Promise.all(Array.from({length: Math.min(navigator.hardwareConcurrency || 1, MOST_AT_ONCE)}, work));
        return results;
    }

    async answer(program, stdin, {time, output}) {
        const texts = ["", ""];
        let limit = null;
        const reached = which => {
            limit = which;
            run.stop();
        };
        const run = this.begin({
            files: filesOf(program), stdin, words: ["--sandbox", "program.mpy"], mostOutput: output,
            onOutput: (text, isError) => { texts[+isError] += text; },
            onTooMuch: () => reached("output"),
        });
        const timer = setTimeout(() => reached("time"), 1000 * time), end = await run.ended;
        clearTimeout(timer);
        return {status: end.status === null ? 1 : end.status, limit, report: texts[0], printed: texts[1] + (end.failed || "")};
    }
}

class ExerciseCell extends EmbeddedCell {
    constructor(place, machine, exercise, options) {
        super(place, machine, options);
        this.exercise = exercise;
        exercise.cells.push(this);
        this.store = ["minivm", location.pathname, options.name].join(" ");
        const kept = this.kept();
        if (kept === null) return;
        this.editor.text = kept;
        super.edited();
    }

    buttons() {
        return [button("Check", "Check what you wrote (Ctrl-Enter)", () => this.start()), this.stopButton];
    }

    async start() {
        const files = [...filesOf(this.exercise.files), ...this.exercise.cells.map(cell => cell.files[0])];
        const end = await this.follow(listeners => new ExerciseCheck(this.machine, files, this.exercise, {
            ...listeners, onProgress: (done, all) => this.say(`Checking: ${done} of ${all} runs …`),
        }));
        if (!end || end.status === null) return;
        this.say(end.status ? "Not yet." : "Solved.");
        this.showFailure();
    }

    scrollSoon() {} // a report is read from its beginning

    // Scrolls the report, and only the report, to the first check that fails.
    showFailure() {
        const texts = document.createTreeWalker(this.output, NodeFilter.SHOW_TEXT), place = document.createRange();
        this.output.normalize();
        while (texts.nextNode()) {
            const at = texts.currentNode.data.search(/^FAIL/m);
            if (at < 0) continue;
            place.setStart(texts.currentNode, at);
            this.output.scrollTop += place.getBoundingClientRect().top - this.output.getBoundingClientRect().top;
            return;
        }
    }

    stepThrough() {} // an exercise is no program

    // ---- what stays

    edited() {
        super.edited();
        try {
            localStorage.setItem(this.store, this.editor.text);
        } catch (error) { /* no room, or no leave: the page works without */ }
    }

    kept() {
        try {
            return localStorage.getItem(this.store);
        } catch (error) {
            return null;
        }
    }
}
