import type { RouteLocationNormalizedLoaded } from 'vue-router'

/** Where an id leads: to what it names or, from the place that shows just that, to what is known of it. */
export function idAddress(id: string, { params }: Pick<RouteLocationNormalizedLoaded, 'params'>): string {
  const here = Object.values(params).some((param) => param === id)
  return `/id/${encodeURIComponent(id)}${here ? '?view=about' : ''}`
}
