# A relative entry of sys.path is one of the working directory: modules have absolute files.
mkdir -p lib/pkg; echo 'def f(): return 1 / 0' > lib/helper.py; : > lib/pkg/__init__.py; echo 'x = 1' > lib/pkg/inner.py; mkdir lib/space; echo 'y = 2' > lib/space/leaf.py
cat > main.py <<'EOF'
import os, sys
sys.path.insert(0, "lib")
import helper, pkg.inner, space.leaf
print(helper.__file__, pkg.__path__, pkg.inner.__file__, list(space.__path__), space.leaf.__file__)
os.chdir("/")
print(os.path.exists(helper.__file__))
helper.f()
EOF
"$PYTHON" main.py
