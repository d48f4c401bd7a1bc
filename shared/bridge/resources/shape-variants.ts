import type { z } from 'zod'

/**
 * Hosts may send an object in other shapes, because the contract leaves something about it open.
 */
export interface ShapeVariants {
  /**
   * These are other names of a member, most likely first; a dot leads into a nested object. They
   * are used only if the member's own name is absent.
   */
  readonly names?: Readonly<Record<string, readonly string[]>>
  /**
   * A plain text or number that is sent instead of the object is assigned to this member; usually
   * it is an id.
   */
  readonly self?: string
}

const variantsBySchema = new WeakMap<z.ZodType, ShapeVariants>()

/**
 * Declares other shapes from which an object is read. The schema does not change: the result
 * conforms to it.
 */
export function withShapeVariants<S extends z.ZodObject>(schema: S, variants: ShapeVariants): S {
  variantsBySchema.set(schema, variants)
  return schema
}

export const getShapeVariants = (schema: z.ZodType): ShapeVariants | undefined => variantsBySchema.get(schema)

const DECIMAL = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/

/** Parses a number written as in JSON without an exponent; undefined for any other text. */
export const parseDecimal = (text: string): number | undefined => (DECIMAL.test(text) ? Number(text) : undefined)

export const parseBoolean = (text: string): boolean | undefined =>
  text === 'true' ? true : text === 'false' ? false : undefined
