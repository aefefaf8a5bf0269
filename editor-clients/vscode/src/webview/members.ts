/** Members of a view, read with care: a card may come from a later version, or from a damaged record. */

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** The object that a value is; empty for what is none. */
export function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** A member that is a text; else an empty one. */
export function string(of: Members, name: string): string {
  const value = of[name];
  return typeof value === 'string' ? value : '';
}

/** A member that is a whole number. */
export function integer(of: Members, name: string): number | undefined {
  const value = of[name];
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** A member that is a list; else an empty one. */
export function items(of: Members, name: string): readonly unknown[] {
  const value = of[name];
  return Array.isArray(value) ? value : [];
}

/** The texts of a list. */
export function strings(of: Members, name: string): string[] {
  return items(of, name).filter((item) => typeof item === 'string');
}

/** JSON for people. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? '';
}
