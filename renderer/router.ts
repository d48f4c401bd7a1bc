import {
  createRouter,
  createWebHashHistory,
  type RouteLocationMatched,
  type RouteMeta,
  type RouteRecordRaw,
} from 'vue-router'
import { places } from './places/index.ts'

/** Adds the navigation entry of its place to a route, unless the route has an entry of its own. */
function addNav(id: string, route: RouteRecordRaw): RouteRecordRaw {
  return { ...route, meta: { nav: id, ...route.meta } } as RouteRecordRaw
}

export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    ...places.flatMap((place) => place.routes.map((route) => addNav(place.id, route))),
    // `startup.ts` chooses the first page; nothing is shown until then.
    { path: '/', name: 'start', component: { render: () => null }, meta: { transient: true } },
    {
      path: '/:unknown(.*)*',
      name: 'unknown',
      component: () => import('./shell/UnknownPlace.vue'),
      meta: { titleKey: 'shell.unknownPlace.title', transient: true, inspector: false },
    },
  ],
})

export function isPlacePath(path: string): boolean {
  if (!path.startsWith('/') || path === '/') return false
  return isRestorableRoute(router.resolve(path))
}

/** Returns true if the program may open this route again at the next start. */
export function isRestorableRoute(route: {
  readonly matched: readonly RouteLocationMatched[]
  readonly meta: RouteMeta
}): boolean {
  return route.matched.length > 0 && route.meta.transient !== true
}
