import { z } from 'zod'
import { optionalFlag, gated, ungated, words } from './define.ts'

export const emptyBody = ungated({})
export const confirmBody = gated({})
export const titleBody = gated({ title: z.string() })
export const addDocumentBody = gated({ bookmd5: z.string() })
export const deleteStudySetBody = gated({
  /** Exactly the stored title. */
  expectedTitle: z.string(),
  keepHighlights: optionalFlag,
  keepSnapshotHistory: optionalFlag,
})
/** The host itself prepends `Agent:`. */
export const snapshotBody = ungated({ description: words })
export const restoreBody = gated({ force: optionalFlag })
export const openStudySetBody = ungated({ bookmd5: words })
export const printPreviewBody = ungated({
  mode: z.enum(['keepStructure', 'classic', 'cardFlow']),
  densityValue: z.number().min(0).max(1).optional(),
  rootNoteId: words,
})
/** `plan`: the whole answer to the preview, unchanged. */
export const printExportBody = ungated({ plan: z.looseObject({}), fileName: words })
export const deckCardsBody = gated({
  cards: z.array(z.looseObject({ sourceNoteId: z.string(), question: words, questionContentId: words, title: words })),
})
/** Absent members stay as they are. */
export const uiStateBody = ungated({ state: z.looseObject({}) })
/** JSON-RPC. */
export const mcpBody = ungated({
  jsonrpc: z.string(),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
})
