from jinja2 import DictLoader, Environment, StrictUndefined, TemplateSyntaxError, UndefinedError

env = Environment(
    loader=DictLoader(
        {
            "base": "<t>{% block t %}base{% endblock %}</t>{% macro m(x, y=2) %}[{{ x }}-{{ y }}]{% endmacro %}{{ m(1) }}",
            "child": "{% extends 'base' %}{% block t %}{{ super() }} {{ name|upper }}{% endblock %}",
            "inc": "{% for k, v in d|dictsort %}{{ loop.index }}:{{ k }}={{ v }}{{ ',' if not loop.last }}{% else %}none{% endfor %}",
        }
    ),
    trim_blocks=True,
)
print(
    env.get_template("child").render(name="ann"),
    env.get_template("inc").render(d={"b": 2, "a": 1}),
    env.get_template("inc").render(d={}),
)
t = env.from_string(
    "{% set x = [3, 1, 2]|sort %}{{ x|join('-') }} {{ '%05.1f'|format(2.5) }} {{ 'a b'|title|replace(' ', '_') }} {{ x is iterable }} {{ x[1:]|sum }} {{ 7 // 2 ** 1 }} {% if 2 in x and not y %}yes{% endif %}{% raw %}{{ }}{% endraw %}"
)
print(t.render(), env.from_string("{{ '<b>'|e }}{{ '<i>'|safe }}{{ x|tojson }}").render(x={"a": "<"}))
for text in "{% if %}", "{{ a.b.c }}", "{{ x| nofilter }}":
    try:
        Environment(undefined=StrictUndefined).from_string(text).render()
    except (TemplateSyntaxError, UndefinedError) as error:
        print(type(error).__name__, error)
print(
    sorted(env.compile_expression("a + b * 2")(a=1, b=3).__class__.__name__),
    env.parse("{{ a + 1 }}"),
    list(env.lex("{{ a }}")),
)
env.filters["twice"] = lambda s: s * 2
print(
    env.from_string(
        "{{ 'ab'|twice }}{% for c in 'xyz' recursive %}{{ c }}{{ loop.cycle('1', '2') }}{% endfor %}"
    ).render()
)
