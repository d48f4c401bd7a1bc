import { bounded, type Budget } from '../services/bounded.ts'

/** More than anything of ours holds; what a host sent was cut long before. */
const budget: Budget = { values: 2_000_000, characters: 128 * 1024 * 1024, depth: 1_200 }

/**
 * A value for the page with every known token taken out of its texts: hosts echo what they were sent, also in places that
 * nobody thought of, and later, when they are asked without it. Bytes stay as the host sent them.
 */
export function concealed(value: unknown, conceal: (text: string) => string): unknown {
  return bounded(value, budget, conceal)
}
