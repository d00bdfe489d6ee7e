// Puts the playground together: page, styles, scripts, examples, emcc's glue and the packed module in one file;
// and the cell for other pages, which is one script.
//
//     node vm/playground/assemble.js GLUE.js MODULE.wasm PAGE.html CELL.js
//
// GLUE and MODULE are emcc's; what {{…}} in page.html names is put in its place. An example is a program in
// examples/; its first line, a comment, is its title.
const fs = require("fs"), path = require("path"), zlib = require("zlib");

const room = __dirname;
const PART = 1 << 17; // characters: whole groups of four
const HEAD = 'a page that loads this file has <pre class="minivm">PROGRAM</pre> (vm/playground/embed.js says what else).';

function read(name) {
    return fs.readFileSync(path.join(room, name), "utf8");
}

// The module for the page, in parts that are taken while the next ones are read.
function moduleParts(packed) {
    const text = packed.toString("base64"), parts = [];
    for (let at = 0; at < text.length; at += PART) parts.push(`<script>machine.take("${text.slice(at, at + PART)}");</script>\n`);
    return parts.join("");
}

// The texts lie in elements <script>, which end at the first "</script".
function embedded(name, text) {
    if (/<\/script|<!--/i.test(text)) throw new Error(name + " cannot be embedded in a page");
    return text;
}

// NN_name.mpy, and the files that it imports: NN_name.module.mpy.
function exampleOf(name, names) {
    const prefix = name.replace(/mpy$/, "");
    const others = names.filter(other => other !== name && other.startsWith(prefix));
    const files = [name, ...others].map(file => ({name: file === name ? "main.mpy" : file.slice(prefix.length),
                                                   text: read(path.join("examples", file))}));
    return {title: files[0].text.split("\n")[0].replace(/^# /, ""), files};
}

// A script that has what it needs in constants, and leaves no names in the page but the elements it makes.
function cellScript({worker, module}) {
    const scripts = ["machine.js", "editor.js", "cell.js", "embed.js", "exercise.js"].map(read);
    const constants = Object.entries({STYLES: read("cell.css") + read("embed.css"), WORKER: worker, MODULE: module})
        .map(([name, text]) => `const ${name} = ${JSON.stringify(text)};\n`);
    return `// minivm's code cells: ${HEAD}\n"use strict";\n(() => {\n${[...constants, ...scripts].join("")}bringAllToLife();\n})();\n`;
}

function main([glue, module, page, cell]) {
    const packed = zlib.gzipSync(fs.readFileSync(module), {level: 9});
    const names = fs.readdirSync(path.join(room, "examples")).sort();
    const examples = names.filter(name => /^\w+\.mpy$/.test(name)).map(name => exampleOf(name, names));
    const parts = {
        worker: fs.readFileSync(glue, "utf8") + "\n" + read("worker.js"),
        module: packed.toString("base64"),
        examples: JSON.stringify(examples).replace(/</g, "\\u003c"),
    };
    const put = (_, name) => name === "module" ? moduleParts(packed) : embedded(name, parts[name] || read(name));
    const whole = read("page.html").replace(/\{\{([\w.]+)\}\}/g, put);
    fs.writeFileSync(page, whole);
    fs.writeFileSync(cell, cellScript(parts));
    const share = Object.entries({...parts, page: whole}).map(([name, text]) => `${name} ${text.length}`).join(", ");
    console.log(`${page}: ${share} bytes; gzip ${zlib.gzipSync(whole, {level: 9}).length}`);
}

main(process.argv.slice(2));
