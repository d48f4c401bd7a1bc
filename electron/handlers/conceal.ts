import { bounded, type Budget } from '../services/bounded.ts'

/** More than any value of ours holds; what a host sent was cut long before. */
const budget: Budget = { values: 2_000_000, characters: 128 * 1024 * 1024, depth: 1_200 }

/**
 * A value for the page with every known token removed from its texts: hosts echo what they were sent, in unexpected places and even in
 * later requests that carry no token. Bytes stay as the host sent them.
 */
export function concealed(value: unknown, conceal: (text: string) => string): unknown {
  return bounded(value, budget, conceal)
}
