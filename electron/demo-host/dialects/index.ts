import { forEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import type { DemoReply } from '../state/reply.ts'
import * as loose from './loose-traits.ts'
import * as strict from './strict-traits.ts'
import type { Trait } from './trait.ts'

/** How a demo host speaks where the documents leave room: its traits, in the order in which they are applied. */
export const dialects = {
  '0.91': [],
  '0.49': [
    strict.version049,
    strict.persistedWhereDocumented,
    strict.plainTree,
    strict.partIds,
    strict.nestedOutline,
    strict.hitGroups,
    strict.noPanelList,
  ],
  strict: [strict.requiredPrefix, strict.namedMembers, strict.pagePartPaths, strict.noPanelList],
  loose: [
    loose.contextIds,
    loose.timesInSeconds,
    loose.tagPathsAsStrings,
    loose.listingPath,
    loose.outlinePage,
    loose.pageIndex,
    loose.surfaceList,
    loose.sessionPlace,
    strict.persistedWhereDocumented,
    loose.countsAsTexts,
    loose.hitIds,
    loose.mainDocument,
    loose.bundleListing,
    loose.listNames,
    strict.partIds,
    loose.retryPlace,
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
