import { z } from 'zod'
import { callMatchSchema, headerSchema, pointerSchema } from './call-match.ts'

export const overrideFaults = [
  'offline',
  'hang',
  'reset',
  /** A 429 response with `retryAfterSeconds`. */
  'rate-limit',
  /** A 500 response with an HTML page. */
  'html-error',
  /** A body that ends early. */
  'cut',
  /** A body that is not JSON. */
  'malformed',
] as const

const overrideResponseSchema = z.discriminatedUnion('kind', [
  /** Changes values in the host's own response at JSON pointers. */
  z.strictObject({
    kind: z.literal('change'),
    changes: z
      .array(
        z.discriminatedUnion('do', [
          z.strictObject({
            do: z.literal('set'),
            at: pointerSchema,
            value: z.unknown().refine((value): boolean => value !== undefined, 'expected a value'),
          }),
          z.strictObject({ do: z.literal('remove'), at: pointerSchema }),
        ]),
      )
      .max(100),
  }),
  z.strictObject({
    kind: z.literal('canned'),
    /** A browser does not accept other statuses for a whole response. */
    status: z.number().int().min(200).max(599),
    headers: z.array(headerSchema).max(100),
    /** Text, or bytes in base64 if `base64` is true. */
    body: z.string().max(8_000_000),
    base64: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('fault'),
    fault: z.enum(overrideFaults),
    /** Only for `rate-limit`. */
    retryAfterSeconds: z.number().int().min(0).max(3600).optional(),
  }),
])

/** `match` selects calls of the panel; the remaining members describe the response to them. */
export const overrideRuleSchema = z.strictObject({
  id: z.string().min(1).max(100),
  name: z.string().min(1).max(200),
  on: z.boolean(),
  match: callMatchSchema,
  answer: overrideResponseSchema,
  delayMs: z.number().int().min(0).max(600_000),
})
export type OverrideRule = z.infer<typeof overrideRuleSchema>

/** `bridge-overrides.json` of a panel: the first enabled rule that matches responds. */
export const overridesFileSchema = z.looseObject({ version: z.literal(1), rules: z.array(z.unknown()).max(500) })
export const OVERRIDES_FILE = 'bridge-overrides.json'

export const overridesStateSchema = z.strictObject({
  rules: z.array(overrideRuleSchema).max(500),
  /** Path of the file that contains the rules. */
  file: z.string(),
  /** Entries of the file that are not valid rules. They stay in the file unchanged. */
  problems: z.array(z.strictObject({ index: z.number().int(), message: z.string() })),
})
export type OverridesState = z.infer<typeof overridesStateSchema>
