import { z } from 'zod'
import { withShapeVariants } from './shape-variants.ts'
import { createCount } from './schema-plan.ts'
import { versionMembers } from './common.ts'

/**
 * Shapes from observed-0.49 that spec-0.91 lacks. All members are optional, because the contract
 * gives no response schemas.
 */

/** The contract does not show the shape of the tree in `GET /library/folders`. */
export const foldersSchema = z.looseObject({ ...versionMembers, path: z.string().optional() })

export const tocCandidatesSchema = z.looseObject({
  ...versionMembers,
  candidates: z
    .array(
      withShapeVariants(
        z.looseObject({ page: z.number().optional(), text: z.string().optional(), height: z.number().optional() }),
        { names: { page: ['index', 'pageNo', 'pageNumber'], text: ['title', 'content'] } },
      ),
    )
    .optional(),
  pagesScanned: createCount().optional(),
  truncated: z.boolean().optional(),
  nextStart: z.number().nullable().optional(),
  hint: z.unknown().optional(),
})

export const textLocationSchema = z.looseObject({
  ...versionMembers,
  found: z.boolean().optional(),
  page: z.number().nullable().optional(),
  matchedText: z.string().nullable().optional(),
  algorithm: z.string().nullable().optional(),
  score: z.number().nullable().optional(),
  reason: z.string().nullable().optional(),
  navigated: z.boolean().optional(),
})

/** The caller sends the whole `mn.mindMapPrintPlan.v0` back to the export unchanged. */
export const printPlanSchema = z.looseObject({
  ...versionMembers,
  schema: z.string().optional(),
  pageCountEstimate: createCount().optional(),
  pages: z
    .array(
      z.looseObject({
        kind: z.string().optional(),
        visibleDepth: createCount().optional(),
        visibleNoteIds: z.array(z.string()).optional(),
        sliceIndex: createCount().optional(),
        sliceCount: createCount().optional(),
      }),
    )
    .optional(),
  exportOptions: z.unknown().optional(),
  planFingerprint: z.string().optional(),
})

/** The host responds to `POST /mcp` with JSON-RPC. */
export const mcpResponseSchema = z.looseObject({
  jsonrpc: z.string().optional(),
  result: z.unknown().optional(),
})
