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

// Each request that only looks or sets something, once, where the program stands in `add`: none is refused.
async function lookEverywhere(client, frameId) {
    const source = { path: program }, here = { threadId: 1, frameId };
    const ask = async (name, given) => (await client.send(name, { ...here, ...given })).body;
    await ask('threads');
    const { stackFrames: [{ instructionPointerReference }] } = await ask('stackTrace');
    const { scopes: [{ variablesReference }] } = await ask('scopes');
    await ask('variables', { variablesReference });
    assert.strictEqual((await ask('evaluate', { expression: 'a', context: 'watch' })).result, '0');
    await ask('completions', { text: 'tot', column: 4 });
    await ask('setVariable', { variablesReference, name: 'b', value: '3' });
    assert.strictEqual((await ask('setExpression', { expression: 'b', value: '10' })).value, '10');
    const memoryReference = instructionPointerReference;
    assert.strictEqual((await ask('disassemble', { memoryReference, instructionCount: 3 })).instructions.length, 3);
    await ask('readMemory', { memoryReference, count: 4 });
    await ask('loadedSources');
    assert((await ask('modules')).modules.some((module) => module.name === '__main__'));
    assert((await ask('source', { source, sourceReference: 0 })).content.startsWith('import sys'));
    await ask('breakpointLocations', { source, line: 5 });
    await ask('gotoTargets', { source, line: 5 });
    await ask('stepInTargets');
    const { dataId } = await ask('dataBreakpointInfo', { name: 'b', variablesReference });
    await ask('setDataBreakpoints', { breakpoints: [{ dataId }] });
    await ask('setDataBreakpoints', { breakpoints: [] });
    await ask('setFunctionBreakpoints', { breakpoints: [] });
    await ask('setInstructionBreakpoints', { breakpoints: [] });
    await ask('setExceptionBreakpoints', { filters: ['uncaught'] });
    await ask('cancel');
    for (const name of ['attach', 'writeMemory', 'terminateThreads', 'locations', 'zork'])
        await assert.rejects(ask(name), /minivm/);
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
    await lookEverywhere(client, frame.id);
    assert.strictEqual((await move(client, 'restartFrame', { frameId: frame.id })).line, 5);
    assert.strictEqual((await move(client, 'stepIn')).line, 6);
    assert.strictEqual((await move(client, 'goto', { targetId: 5 })).line, 5);
    assert.strictEqual((await move(client, 'restart')).line, 5);
    await Promise.all([client.waitForEvent('terminated'), client.send('terminate')]);
    assert.strictEqual((await move(client, 'restart')).line, 5);
    await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
    await Promise.all([client.waitForEvent('terminated'), client.continueRequest({ threadId: 1 })]);
    await client.stop();
    process.exitCode = 0;
    console.log('check-dap: @vscode/debugadapter-testsupport passes');
}

process.exitCode = 1; // also where an answer never comes
main().catch((error) => { console.error(error); process.exit(1); });
