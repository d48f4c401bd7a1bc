import { useI18n } from 'vue-i18n'
import { findEndpointById, endpoints, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { getListedWriteIds, type CommandId } from '../../../shared/bridge/listed-row.ts'
import type { MenuItem } from '../../components/menu-item.ts'
import { createFormFields } from '../../model/forms/form-fields.ts'
import { useHostCapabilities } from '../../stores/host-capabilities.ts'
import { useOperations } from '../../stores/operations.ts'
import { cardFieldNames, getCardFieldValues } from './card-field-values.ts'
import { useWriteTitle } from './write-title.ts'
import { writeEndpointIds } from './write-endpoint-ids.ts'

/**
 * A card's menu offers the endpoints that take the id of a card, and the commands of the practice
 * session, which name none: spec §4 does not say that a `questionId` is one.
 */
const cardEndpointIds: readonly EndpointId[] = endpoints
  .filter(
    (row) =>
      writeEndpointIds.includes(row.id) &&
      (row.command === 'session' || createFormFields(row).some(({ name }) => cardFieldNames.has(name))),
  )
  .map(({ id }) => id)

/** What is done to a card most often, in the order of the menu. */
const usualIds: readonly CommandId[] = [
  'notes.title',
  'notes.text',
  'notes.comments',
  'notes.hashtags',
  'notes.metadata',
]

/** The order is the menu's. Irreversible writes, and those the host does not list, are apart. */
const groups = [
  'usual',
  'cards',
  'writing',
  'studySets',
  'documents',
  'bundles',
  'show',
  'other',
  'listed',
  'final',
  'unlisted',
] as const
type Group = (typeof groups)[number]

const byTag: Readonly<Record<string, Group>> = {
  cards: 'cards',
  plugin: 'writing',
  handwriting: 'writing',
  'study-sets': 'studySets',
  documents: 'documents',
  export: 'documents',
  bundles: 'bundles',
  interface: 'show',
}

function groupOf(id: CommandId): Group {
  if (usualIds.includes(id)) return 'usual'
  const row = findEndpointById(id)
  if (!row) return 'listed'
  if (row.isIrreversible) return 'final'
  return row.access === 'navigate' ? 'show' : (byTag[row.tag] ?? 'other')
}

/** Builds the items of the menus for writes. Choosing one opens the sheet and sends nothing. */
export function useWriteMenuItems() {
  const { t } = useI18n()
  const operations = useOperations()
  const host = useHostCapabilities()
  const titleOf = useWriteTitle()

  /** Until the capabilities are read, every route counts as listed. */
  function isUnlisted(id: CommandId): boolean {
    const row = findEndpointById(id)
    return row !== undefined && host.isListed(row.id) === false
  }

  function items(ids: readonly CommandId[], values: Readonly<Record<string, string>>): readonly MenuItem[] {
    const sortedIds = [...new Set([...usualIds.filter((id) => ids.includes(id)), ...ids])]
    const groupedItems = sortedIds.map((id) => ({ id, group: isUnlisted(id) ? ('unlisted' as const) : groupOf(id) }))
    return groups.flatMap((group) =>
      groupedItems
        .filter((entry) => entry.group === group)
        .map(({ id }, index) => ({
          id,
          label: titleOf(id),
          detail: id,
          group: t(`write.group.${group}`),
          isDestructive: group === 'final',
          hasSeparator: (group === 'final' || group === 'unlisted') && index === 0,
          ...(group === 'unlisted' ? { unavailableReason: t('write.unlisted') } : {}),
          run: () => operations.compose(id, values),
        })),
    )
  }

  return {
    /** Includes routes that only the host lists, which take a body written by hand. */
    getAllItems: () => items([...writeEndpointIds, ...getListedWriteIds(host.capabilities?.routes ?? [])], {}),
    /** The known values of the card are filled in. */
    getCardItems: (noteid: string, topicid: string | null) =>
      items(cardEndpointIds, getCardFieldValues(noteid, topicid)),
  }
}
