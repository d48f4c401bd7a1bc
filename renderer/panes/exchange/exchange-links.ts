import { useRoute, type RouteLocationRaw } from 'vue-router'

interface ExchangeLinks {
  /** To one exchange, by its place in the store or its id; in the list of exchanges its filter stays. */
  toExchange(which: number | string): RouteLocationRaw
  /** To what differs between two answers. */
  toComparison(before: number, after: number): RouteLocationRaw
}

/** Addresses of exchanges, from wherever one is shown. */
export function useExchangeLinks(): ExchangeLinks {
  const route = useRoute()
  const query = (): Record<string, string> => {
    if (route.name !== 'traffic') return {}
    return Object.fromEntries(
      Object.entries(route.query).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'compare',
      ),
    )
  }
  return {
    toExchange: (which) => ({ path: `/traffic/${encodeURIComponent(which)}`, query: query() }),
    toComparison: (before, after) => ({
      path: `/traffic/${after}`,
      query: { ...query(), compare: `${before},${after}` },
    }),
  }
}
