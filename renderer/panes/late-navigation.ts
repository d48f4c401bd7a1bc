import type { RouteLocationNormalized, Router } from 'vue-router'

interface Navigations {
  /** Grows as soon as the user opens another address, also while its code is still loading. */
  begunCount: number
  /** The newest navigation until it has ended. A change of the current address would cancel it. */
  pending: RouteLocationNormalized | null
}

const observed = new WeakMap<Router, Navigations>()

/** Counts the navigations that begin after the first call with this router. */
export function observeNavigations(router: Router): Readonly<Navigations> {
  const navigations = observed.get(router) ?? { begunCount: 0, pending: null }
  if (observed.has(router)) return navigations
  observed.set(router, navigations)
  const onEnd = (to: RouteLocationNormalized): void => {
    if (navigations.pending === to) navigations.pending = null
  }
  router.beforeEach((to) => {
    navigations.begunCount += 1
    navigations.pending = to
  })
  router.afterEach(onEnd)
  router.onError((_error, to) => onEnd(to))
  return navigations
}
