// minivm --dap driven by the client that the adapters of VS Code are tested with: `make check-dap`, which installs it.
//
//     node real_client.js MINIVM FOLDER       FOLDER has node_modules with @vscode/debugadapter-testsupport
const assert = require('assert');
const path = require('path');
const [, , minivm, folder] = process.argv;
const { DebugClient } = require(path.join(folder, 'node_modules/@vscode/debugadapter-testsupport'));
const program = path.join(__dirname, 'programs/sums.py');

async function top(client) {
    const { body } = await client.stackTraceRequest({ threadId: 1 });
    return body.stackFrames[0];
}

// A request that moves, and the frame where the program stops then.
async function move(client, request, extra = {}) {
    await Promise.all([client.waitForEvent('stopped'), client.send(request, { threadId: 1, ...extra })]);
    return top(client);
}

async function main() {
    const client = new DebugClient(minivm, '--dap', 'minivm');
    client.defaultTimeout = 60000;
    await client.start();
    const { body: capabilities } = await client.initializeRequest();
    assert(capabilities.supportsStepBack && capabilities.supportsDataBreakpoints);
    await Promise.all([
        client.launch({ program, args: ['x'] }),
        client.waitForEvent('initialized').then(() =>
            client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: 5 }] }))
            .then(() => client.configurationDoneRequest()),
        client.assertStoppedLocation('breakpoint', { path: program, line: 5 }),
    ]);
    assert.strictEqual((await move(client, 'next')).line, 6);
    assert.strictEqual((await move(client, 'stepBack')).line, 5);
    assert.strictEqual((await move(client, 'stepOut')).name, 'sums');
    const frame = await move(client, 'reverseContinue');
    assert.deepStrictEqual([frame.name, frame.line], ['add', 5]);
    const { body: { scopes } } = await client.scopesRequest({ frameId: frame.id });
    const fast = scopes.find((scope) => scope.name === 'Fast locals');
    const { body: { variables } } = await client.variablesRequest({ variablesReference: fast.variablesReference });
    assert.deepStrictEqual(variables.map((one) => one.name), ['a', 'b', 'total']);
    await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
    await Promise.all([client.waitForEvent('terminated'), client.continueRequest({ threadId: 1 })]);
    await client.stop();
    process.exitCode = 0;
    console.log('check-dap: @vscode/debugadapter-testsupport passes');
}

process.exitCode = 1; // also where an answer never comes
main().catch((error) => { console.error(error); process.exit(1); });
