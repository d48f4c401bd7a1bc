import type { Component } from 'vue'
import type { RouteRecordRaw } from 'vue-router'

/** Groups of the navigation from the top; settings are at the bottom and have no heading. */
export const navGroups = ['host', 'explore', 'debug', 'prove', 'settings'] as const
export type NavGroup = (typeof navGroups)[number]

/** An entry in the navigation "Main". */
interface NavEntry {
  readonly labelKey: string
  readonly icon: Component
  readonly group: NavGroup
  /** Ascending within the group. */
  readonly order: number
  readonly to: string
  /** The letter that goes there after G. */
  readonly key: string
}

/**
 * What a place registers with the shell: `renderer/places/<place>/place.ts` exports it as `place`.
 * Its components stay lazy (`component: () => import('./HostPlace.vue')`).
 */
export interface PlaceDefinition {
  readonly id: string
  readonly routes: readonly RouteRecordRaw[]
  readonly nav?: NavEntry
  /**
   * Runs once in the shell's own scope; registers actions and palette sources that exist
   * everywhere.
   */
  readonly install?: () => void
}

declare module 'vue-router' {
  interface RouteMeta {
    /** Title of the window, and of the place in the command palette. */
    titleKey?: string
    /**
     * Id of the place whose navigation entry is highlighted on this route; defaults to the place's
     * own.
     */
    nav?: string
    /** The route is never stored as the last place. */
    transient?: boolean
    /** False if nothing is ever inspected (a form): the pane is not shown. */
    inspector?: boolean
    /**
     * While it returns true, the place stays in the document beside the next ones, hidden; its
     * component gets the prop `isShown`.
     */
    staysMounted?: () => boolean
  }
}

/** Type-checks a definition as it is written. */
export function definePlace(place: PlaceDefinition): PlaceDefinition {
  return place
}
