import { z } from 'zod'
import type { CallFrame } from '../../../../shared/traffic/call-initiator.ts'
import { parseCallStack } from './call-stack.ts'

const MAX_ELEMENTS = 1_000

const elementsSchema = z.object({
  load: z.number().int().positive(),
  page: z.string().max(2_000),
  stacks: z.array(z.string()).max(MAX_ELEMENTS),
  elements: z
    .array(
      z.object({
        address: z.string().max(8_000),
        at: z.number(),
        /** Index of the stack. */
        stack: z.number().int().nonnegative(),
      }),
    )
    .max(MAX_ELEMENTS),
})

/** Addresses on the bridge that code of the page gave to elements. */
export interface ElementReport {
  readonly load: number
  readonly page: string
  readonly elements: readonly {
    /** Path with query. */
    readonly address: string
    /** Epoch milliseconds of the page's clock. */
    readonly at: number
    /** The stack as the page reported it. */
    readonly stack: string
    readonly frames: readonly CallFrame[] | null
  }[]
}

/**
 * Parses a report of the helper script, which any script of the page can imitate.
 * @param origin the panel's origin
 * @returns null for an invalid report, because a part of it could be taken for the whole
 */
export function parseElementReport(value: unknown, origin: string): ElementReport | null {
  const parsed = elementsSchema.safeParse(value)
  if (!parsed.success) return null
  const { stacks, elements, ...report } = parsed.data
  const framesOfStacks = stacks.map((stack) => parseCallStack(stack, origin))
  return {
    ...report,
    elements: elements.map(({ address, at, stack }) => ({
      address,
      at,
      stack: stacks[stack] ?? '',
      frames: framesOfStacks[stack] ?? null,
    })),
  }
}
