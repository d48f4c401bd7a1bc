import { storedBodySchema } from '../../traffic/exchange.ts'

/**
 * How a request of the second run differs from the first one: it is missing there, or extra, asks
 * for something else, came at another time among the others, got another response, had another
 * effect on the library, or took much longer.
 */
export const runDifferenceKinds = ['missing', 'extra', 'request', 'response', 'effect', 'order', 'slower'] as const
export type RunDifferenceKind = (typeof runDifferenceKinds)[number]

/** Why bodies of a pair were not compared: the stored body says so, or they are too large. */
export const notComparedReasons = [...storedBodySchema.shape.missing.unwrap().options, 'large'] as const
export type NotComparedReason = (typeof notComparedReasons)[number]
