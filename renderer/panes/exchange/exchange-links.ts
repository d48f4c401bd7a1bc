import { useRoute, type RouteLocationRaw } from 'vue-router'

export function useExchangeLinks() {
  const route = useRoute()
  const query = (): Record<string, string> => {
    if (route.name !== 'traffic') return {}
    return Object.fromEntries(
      Object.entries(route.query).filter(
        (entry): entry is [string, string] =>
          typeof entry[1] === 'string' && entry[0] !== 'compare' && entry[0] !== 'at',
      ),
    )
  }
  return {
    /**
     * Returns the address of one exchange, by its number in the store or its id. The filter of the
     * list of exchanges stays.
     * @param pointer JSON pointer to a value of the response that is shown
     */
    toExchange: (ref: number | string, pointer?: string): RouteLocationRaw => ({
      path: `/traffic/${encodeURIComponent(ref)}`,
      query: { ...query(), ...(pointer === undefined ? {} : { at: pointer }) },
    }),
    /** The comparison of two responses, by their exchanges' numbers; the older comes first. */
    toComparison(seq: number, otherSeq: number): RouteLocationRaw {
      const [before, after] = [Math.min(seq, otherSeq), Math.max(seq, otherSeq)]
      return { path: `/traffic/${after}`, query: { ...query(), compare: `${before},${after}` } }
    },
  }
}
