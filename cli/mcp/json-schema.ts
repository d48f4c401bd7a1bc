import { z } from 'zod'

/** The JSON schema of a tool's input, without what helps nobody who calls it: the dialect, bounds that are only ours. */
export function toJsonSchema(input: z.ZodType): Record<string, unknown> {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      delete jsonSchema.maxLength
    },
  })
  delete schema.$schema
  return schema
}
