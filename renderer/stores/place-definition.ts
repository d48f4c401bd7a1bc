import type { Component } from 'vue'
import type { RouteLocation, RouteRecordRaw } from 'vue-router'
import type { ActionInfo } from './shortcuts.ts'

/** Groups of the navigation from the top. Settings are at the bottom and have no heading. */
export const navGroups = ['host', 'explore', 'debug', 'prove', 'settings'] as const
export type NavGroup = (typeof navGroups)[number]

/** An entry in the navigation "Main". */
interface NavEntry {
  readonly labelKey: string
  readonly icon: Component
  readonly group: NavGroup
  /** Position in the group, ascending. */
  readonly order: number
  readonly to: string
  /** The key that opens the page when pressed after G. */
  readonly key: string
}

/**
 * A place is one page of the app. `renderer/places/<place>/place.ts` exports its definition as
 * `place`. Components are loaded on demand (`component: () => import('./HostPlace.vue')`).
 */
export interface PlaceDefinition {
  readonly id: string
  readonly routes: readonly RouteRecordRaw[]
  readonly nav?: NavEntry
  /** Actions that the place registers while it is open. */
  readonly actions?: readonly ActionInfo[]
  /** Runs once in the shell's scope: registers actions and palette sources of all pages. */
  readonly install?: () => void
}

declare module 'vue-router' {
  interface RouteMeta {
    /** Title of the window, and of the page in the command palette. */
    titleKey?: string
    /** Place whose navigation entry is highlighted; default: the route's owner. */
    nav?: string
    /** True if the program should not open this route again at the next start. */
    transient?: boolean
    /** False if the page has no details to inspect, such as a form. */
    inspector?: boolean
    /** While true, the page stays in the DOM, hidden elsewhere; its prop is `isShown`. */
    staysMounted?: () => boolean
    /** Requests what the page shows first while its code is loading. */
    prefetch?: (route: RouteLocation) => void
  }
}

/** Returns the definition unchanged; only its type is checked. */
export function definePlace(place: PlaceDefinition): PlaceDefinition {
  return place
}
