class Shape:
    count = 0

    def __init__(self, name, *sides):
        self.name = name
        self.sides = sides
        Shape.count += 1

    def area(self):
        product = 1
        for side in self.sides:
            product *= side
        return product

    def scaled(self, factor):
        sides = [side * factor for side in self.sides]
        return Shape(self.name, *sides)


def largest(shapes):
    best = None
    for shape in shapes:
        if best is None or shape.area() > best.area():
            best = shape
    return best


shapes = [Shape("square", 2, 2), Shape("box", 1, 2, 3)]
shapes.append(shapes[0].scaled(3))
total = sum(shape.area() for shape in shapes)
best = largest(shapes).name
try:
    shapes[7].area()
except IndexError as error:
    message = str(error)
finally:
    done = True
print(total, best, message)
