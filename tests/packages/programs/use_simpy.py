import simpy


def car(env, name, station, drive, charge):
    yield env.timeout(drive)
    print(name, "arrives", env.now)
    with station.request() as request:
        yield request
        print(name, "charges", env.now)
        yield env.timeout(charge)
        print(name, "leaves", env.now)


env = simpy.Environment()
station = simpy.Resource(env, capacity=2)
for i in range(4):
    env.process(car(env, f"car {i}", station, i * 2, 5))
env.run()


def producer(env, store):
    for i in range(3):
        yield env.timeout(1)
        yield store.put(i)


def consumer(env, store, patient):
    while True:
        result = yield store.get() | env.timeout(patient)
        print(env.now, list(result.values()))
        if env.now > 4:
            return "end"


def interrupted(env):
    try:
        yield env.timeout(10)
    except simpy.Interrupt as i:
        print("interrupted", i.cause, env.now)


env = simpy.Environment()
store = simpy.Store(env)
env.process(producer(env, store))
print(env.run(env.process(consumer(env, store, 1.5))))
p = env.process(interrupted(env))


def breaker(env):
    yield env.timeout(2)
    p.interrupt("because")


env.process(breaker(env))
tank = simpy.Container(env, 10, init=3)
env.run(until=20)
print(tank.level, env.peek(), simpy.PriorityResource(env).count)
