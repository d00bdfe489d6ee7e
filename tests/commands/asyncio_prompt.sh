# python3 -m asyncio: await at the prompt; tasks go on while it waits for a line.
cat > typed << 'END'
import asyncio
x = 3
await asyncio.sleep(0.01, x + 1)
async def f(n):
    await asyncio.sleep(0)
    return n

await f(5)
1/0
await f()
for i in range(2):
    print(i, await f(i))

asyncio.get_running_loop().is_running()
END
"$PYTHON" -m asyncio < typed 2> err
echo "status $?"
grep -c "^ZeroDivisionError: division by zero" err
grep "^TypeError" err
tail -n 1 err
cat > slow << 'END'
    echo 'async def tick():'
    echo '    for i in range(3):'
    echo '        print("tick", i, flush=True); await asyncio.sleep(0.05)'
    echo
    echo 'task = asyncio.create_task(tick())'
    sleep 1
    echo 'print("after"); task.done()'
    echo 'raise SystemExit(3)'
END
sh slow | ("$PYTHON" -m asyncio 2> err; echo "status $?") | sed 's/^\(>>> \|\.\.\. \)*//'
