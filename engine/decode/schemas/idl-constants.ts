/** Comments, which are left out, and texts and single characters, which may hold what looks like a declaration. */
const unread = /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
const declaration =
  /\bconst\s+([A-Za-z_][\w:\s]{0,80}?(?:<[^<>;]{0,80}>)?)\s*\b([A-Za-z_]\w*)\s*=\s*((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^;="'])*);/g;
const numeric =
  /^(?:byte|octet|double|float|u?int(?:8|16|32|64)|(?:unsigned\s+)?(?:short|long(?:\s+long)?)|long\s+double)$/;
const token = /\s*(?:(0[xX][\da-fA-F]+|\d+)(?![\w.])|([A-Za-z_]\w*(?:::\w+)*)|(<<|>>|[-+*/%|&^~()]))/y;
const maxExpression = 200;

/** Operators from those that bind least. */
const levels: Record<string, (a: bigint, b: bigint) => bigint>[] = [
  { "|": (a, b) => a | b },
  { "^": (a, b) => a ^ b },
  { "&": (a, b) => a & b },
  { "<<": (a, b) => BigInt.asIntN(64, a << BigInt.asUintN(6, b)), ">>": (a, b) => a >> BigInt.asUintN(6, b) },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b },
];

class NotWhole extends Error {}

/** The whole number that an expression of whole numbers and known constants stands for; null for any other. */
function evaluate(text: string, known: ReadonlyMap<string, bigint | null>): bigint | null {
  if (text.length > maxExpression) return null;
  let at = 0;
  const next = (): string => {
    token.lastIndex = at;
    const [, number = "", name = "", sign = ""] = token.exec(text) ?? [];
    return number || name || sign;
  };
  const take = (): string => {
    const found = next();
    if (found === "") throw new NotWhole();
    at = token.lastIndex;
    return found;
  };
  const operand = (): bigint => {
    const found = take();
    if (/^\d/.test(found)) return BigInt(found);
    if (found === "-") return -operand();
    if (found === "+") return operand();
    if (found === "~") return ~operand();
    if (found === "(") {
      const inner = binary(0);
      if (take() !== ")") throw new NotWhole();
      return inner;
    }
    const value = known.get(found.slice(found.lastIndexOf(":") + 1));
    if (value === undefined || value === null) throw new NotWhole();
    return value;
  };
  const binary = (level: number): bigint => {
    const operators = levels[level];
    if (operators === undefined) return operand();
    let value = binary(level + 1);
    for (let sign = next(); Object.hasOwn(operators, sign); sign = next()) {
      take();
      value = operators[sign]!(value, binary(level + 1));
    }
    return value;
  };
  try {
    const value = binary(0);
    return text.slice(at).trim() === "" ? value : null;
  } catch (error) {
    // Dividing by zero is a RangeError.
    if (error instanceof NotWhole || error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * The text of IDL with constants as the parser takes them: whole numbers are computed, and those of which it knows neither
 * type nor value are texts without characters, since data do not depend on them. Lines keep their numbers.
 */
export function simplifyConstants(text: string): string {
  const known = new Map<string, bigint | null>();
  const plain = text.replace(unread, (part) => (part.startsWith("/") ? part.replace(/[^\n]+/g, " ") : part));
  return plain.replace(declaration, (whole, type: string, name: string, value: string) => {
    const lines = "\n".repeat(whole.split("\n").length - 1);
    const number = evaluate(value, known);
    // Names are looked up without their modules.
    known.set(name, known.has(name) ? null : number);
    if (number !== null) return `const ${numeric.test(type) ? type : "long"} ${name} = ${number};${lines}`;
    const isPlain = numeric.test(type)
      ? /^[-+]?[\d.]+(?:[eE][-+]?\d+)?$/
      : /^(?:TRUE|FALSE|(?:"(?:[^"\\\n]|\\.)*"\s*)+)$/;
    const isKept = isPlain.test(value.trim()) && !/^(?:wstring|wchar|char)\b/.test(type);
    return isKept ? whole : `const string ${name} = "";${lines}`;
  });
}
