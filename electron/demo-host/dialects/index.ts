import { forEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import type { DemoReply } from '../reply.ts'
import { bundleListing } from './bundle-listing.ts'
import { contextIds } from './context-ids.ts'
import { hitGroups } from './hit-groups.ts'
import { hitIds } from './hit-ids.ts'
import { listNames } from './list-names.ts'
import { listingPath } from './listing-path.ts'
import { mainDocument } from './main-document.ts'
import { namedMembers } from './named-members.ts'
import { nestedOutline } from './nested-outline.ts'
import { countsAsTexts } from './number-texts.ts'
import { outlinePage } from './outline-page.ts'
import { pageIndex } from './page-index.ts'
import { pagePartPaths } from './page-part-paths.ts'
import { partIds } from './part-ids.ts'
import { persistedWhereDocumented } from './persisted.ts'
import { plainTree } from './plain-tree.ts'
import { noPanelList } from './no-panel-list.ts'
import { requiredPrefix } from './required-prefix.ts'
import { retryPlace } from './retry-place.ts'
import { timesInSeconds } from './seconds.ts'
import { sessionPlace } from './session-place.ts'
import { surfaceList } from './surface-list.ts'
import { tagPathsAsStrings } from './tag-paths.ts'
import type { Trait } from './trait.ts'
import { version049 } from './version.ts'

/** How a demo host speaks where the documents leave room: its traits, in the order in which they are applied. */
export const dialects = {
  '0.91': [],
  '0.49': [version049, persistedWhereDocumented, plainTree, partIds, nestedOutline, hitGroups, noPanelList],
  strict: [requiredPrefix, namedMembers, pagePartPaths, noPanelList],
  loose: [
    contextIds,
    timesInSeconds,
    tagPathsAsStrings,
    listingPath,
    outlinePage,
    pageIndex,
    surfaceList,
    sessionPlace,
    persistedWhereDocumented,
    countsAsTexts,
    hitIds,
    mainDocument,
    bundleListing,
    listNames,
    partIds,
    retryPlace,
  ],
} as const satisfies Readonly<Record<string, readonly Trait[]>>
export type DialectName = keyof typeof dialects

export const isDialect = (name: string): name is DialectName => Object.hasOwn(dialects, name)

/** What a dialect makes of what the host itself would say, and of what it is asked. */
export interface Dialect {
  readonly reply: (reply: DemoReply, endpointId: string) => DemoReply
  /** The table's path for a path of this dialect; null for one of the table that this dialect does not serve. */
  readonly pathOf: (path: string) => string | null
  /** Members of a body that are required beyond its schema. */
  readonly requires: (endpointId: string) => readonly string[]
}

const templates = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`)

export function dialectOf(name: DialectName, rowPath: (endpointId: string) => string): Dialect {
  const traits: readonly Trait[] = dialects[name]
  const moved = traits.flatMap(({ paths = {} }) =>
    Object.entries(paths).map(([id, path]) => ({
      from: templates(path),
      own: templates(rowPath(id)),
      to: rowPath(id),
    })),
  )
  return {
    reply(reply, endpointId) {
      const mine = traits.filter(({ on }) => on === null || on.some((id) => id === endpointId))
      if (reply.kind !== 'json' || mine.length === 0) return reply
      const value = mine.reduce<unknown>((now, { out }) => out(now, endpointId), JSON.parse(reply.text))
      return { ...reply, text: JSON.stringify(value) }
    },
    pathOf(path) {
      for (const { from, own, to } of moved) {
        const match = from.exec(path)
        let at = 0
        if (match) return to.replace(/\{\w+\}/g, () => match[(at += 1)] ?? '')
        if (own.test(path)) return null
      }
      return path
    },
    requires: (endpointId) => traits.flatMap(({ requires = {} }) => forEndpoint(requires, endpointId) ?? []),
  }
}
