import type { z } from 'zod'

/** Other shapes in which a host may send an object, because the contract leaves them open. */
export interface ShapeVariants {
  /** Likely ones first, used if the member's own is absent; a dot leads into a nested object. */
  readonly names?: Readonly<Record<string, readonly string[]>>
  /** The member that gets a text or number, usually an id, sent instead of the object. */
  readonly self?: string
}

const variantsBySchema = new WeakMap<z.ZodType, ShapeVariants>()

/** Declares an object's other shapes. The schema stays, and what is read always conforms to it. */
export function withShapeVariants<S extends z.ZodObject>(schema: S, variants: ShapeVariants): S {
  variantsBySchema.set(schema, variants)
  return schema
}

export function getShapeVariants(schema: z.ZodType): ShapeVariants | undefined {
  return variantsBySchema.get(schema)
}

const DECIMAL = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/

/** Accepts JSON numbers without an exponent; returns undefined for any other text. */
export function parseDecimal(text: string): number | undefined {
  return (DECIMAL.test(text) ? Number(text) : undefined)
}

export function parseBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}
