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

/** Those that a card can be named in, and what is done while one is open. */
const ofCard: readonly EndpointId[] = endpoints
  .filter(
    (row) => writeEndpointIds.includes(row.id) && createFormFields(row).some(({ name }) => cardFieldNames.has(name)),
  )
  .map(({ id }) => id)
  .concat('writing.sessionPause')

/** In the order in which they stand in a menu: what deletes, or can't be undone, is apart, and so is what the host does not list. */
const groups = [
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
  const row = findEndpointById(id)
  if (!row) return 'listed'
  if (row.isIrreversible) return 'final'
  return row.access === 'navigate' ? 'show' : (byTag[row.tag] ?? 'other')
}

/** The writes to choose from, in groups; each opens the sheet, and sends nothing. */
export function useWriteMenuItems() {
  const { t } = useI18n()
  const operations = useOperations()
  const host = useHostCapabilities()
  const titleOf = useWriteTitle()

  /** While the capabilities are not known, nothing is known of any route. */
  function isUnlisted(id: CommandId): boolean {
    const row = findEndpointById(id)
    return row !== undefined && host.isListed(row.id) === false
  }

  function items(ids: readonly CommandId[], values: Readonly<Record<string, string>>): readonly MenuItem[] {
    const groupedItems = ids.map((id) => ({ id, group: isUnlisted(id) ? ('unlisted' as const) : groupOf(id) }))
    return groups.flatMap((group) =>
      groupedItems
        .filter((one) => one.group === group)
        .map(({ id }, at) => ({
          id,
          label: titleOf(id),
          detail: id,
          group: t(`write.group.${group}`),
          isDestructive: group === 'final',
          hasSeparator: (group === 'final' || group === 'unlisted') && at === 0,
          ...(group === 'unlisted' ? { unavailableReason: t('write.unlisted') } : {}),
          run: () => operations.compose(id, values),
        })),
    )
  }

  return {
    /** Every write of the contract, and what only the host lists: that can be called with a body written by hand. */
    getAllItems: () => items([...writeEndpointIds, ...getListedWriteIds(host.capabilities?.routes ?? [])], {}),
    /** Those of a card, with what is known of it filled in. */
    getCardItems: (noteid: string, topicid: string | null) => items(ofCard, getCardFieldValues(noteid, topicid)),
  }
}
