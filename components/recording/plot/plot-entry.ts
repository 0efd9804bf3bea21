/** What stands for a plot in the address: the path of a field, or an expression after an equals sign. */
export const toExpression = (entry: string): string | null => (entry.startsWith("=") ? entry.slice(1).trim() : null);

export const fromExpression = (expression: string): string => `=${expression.trim()}`;
