import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import type { MenuItem } from '../../components/menu.ts'
import { useOperations } from '../../stores/operations.ts'
import { cardValues } from './card-values.ts'
import { useWriteTitle } from './titles.ts'

/** What is done with cards most often. */
const ids: readonly EndpointId[] = [
  'notes.blankBands',
  'notes.practiceVerdict',
  'notes.hashtags',
  'notes.metadata',
  'notes.title',
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
  'writing.pencilCommit',
  'notes.focus',
]

/** The writes of a card's context menu; its own menu has them all. Each opens the sheet with known values filled in, and sends nothing. */
export function useCardWrites(): (noteid: string, topicid: string | null) => readonly MenuItem[] {
  const operations = useOperations()
  const titleOf = useWriteTitle()
  return (noteid, topicid) =>
    ids.map((id) => ({
      id,
      label: titleOf(id),
      run: () => operations.compose(id, cardValues(noteid, topicid)),
    }))
}
