import { z } from 'zod'
import { withShapeVariants } from './shape-variants.ts'
import { versionMembers } from './common.ts'
import { createCount } from './schema-plan.ts'

/** Only the demo host sends this header, with `GET /status`: what is written there is nobody's. */
export const DEMO_HOST_HEADER = 'x-demo-host'

/** The only endpoint without a token, and the only test whether a host is alive (observed-0.49). */
export const statusSchema = z.looseObject({
  ...versionMembers,
  app: z.string().optional(),
  appVersion: z.string().optional(),
  routeCount: createCount().optional(),
  apiFingerprint: z.string().optional(),
  guideVersion: z.union([z.string(), z.number()]).optional(),
  guideHash: z.string().optional(),
  enabled: z.boolean().optional(),
  authorized: z.boolean().optional(),
  /** The nonce changes when the host restarts. */
  instanceNonce: z.string().optional(),
  guide: z.looseObject({ route: z.string().optional() }).optional(),
})

const capabilityRouteSchema = z.looseObject({
  method: z.string(),
  path: z.string(),
  requiresMax: z.boolean().optional(),
})
export type CapabilityRoute = z.infer<typeof capabilityRouteSchema>

/** The capabilities are authoritative at run time (spec §1, §9). */
export const capabilitiesSchema = z.looseObject({
  ...versionMembers,
  routes: z.array(capabilityRouteSchema),
  accessPolicy: z.unknown().optional(),
  presets: z.unknown().optional(),
  anchorModes: z.unknown().optional(),
  noteMetadata: z.unknown().optional(),
  noteHashtags: z.unknown().optional(),
  guide: z.unknown().optional(),
})
export type Capabilities = z.infer<typeof capabilitiesSchema>

const noteSchema = withShapeVariants(z.looseObject({ noteid: z.string().optional(), title: z.string().optional() }), {
  self: 'noteid',
  names: { noteid: ['noteId', 'id'] },
})
const openStudySetSchema = withShapeVariants(
  z.looseObject({ topicid: z.string().optional(), title: z.string().optional(), isDeck: z.boolean().optional() }),
  { self: 'topicid', names: { topicid: ['topicId', 'studySetId', 'deckId', 'id'], title: ['name'] } },
)
const openDocumentSchema = withShapeVariants(
  z.looseObject({ bookmd5: z.string().optional(), title: z.string().optional(), focused: z.boolean().optional() }),
  { self: 'bookmd5', names: { bookmd5: ['bookMd5', 'bookMD5', 'md5', 'id'], title: ['name'], focused: ['isFocused'] } },
)
const openPageSchema = withShapeVariants(
  z.looseObject({
    page: z.number().optional(),
    surfacePage: z.number().optional(),
    blankPage: z.number().optional(),
    mappingAvailable: z.boolean().optional(),
  }),
  { self: 'page', names: { page: ['index', 'pageNo'] } },
)

/** What the user has open; `reason` if nothing is available (observed-0.49). */
export const hostContextSchema = withShapeVariants(
  z.looseObject({
    ...versionMembers,
    available: z.boolean().optional(),
    reason: z.string().nullable().optional(),
    capturedAt: z.union([z.string(), z.number()]).nullable().optional(),
    studySet: openStudySetSchema.nullable().optional(),
    currentPage: openPageSchema.nullable().optional(),
    documents: z.array(openDocumentSchema).optional(),
    selectedNotes: z.array(noteSchema).optional(),
    focusedNote: noteSchema.nullable().optional(),
  }),
  {
    names: {
      studySet: ['topic', 'topicid', 'studySetId'],
      currentPage: ['page'],
      documents: ['documentIds'],
      selectedNotes: ['selectedNoteIds', 'selection'],
      focusedNote: ['focusedNoteId', 'focusnoteid'],
    },
  },
)
export type HostContext = z.infer<typeof hostContextSchema>

/** A bookmark of the host's interface. The spec reads its members through `state`. */
export const uiStateSchema = z.looseObject({
  ...versionMembers,
  state: z
    .looseObject({
      topicid: z.string().nullable().optional(),
      bookmd5: z.string().nullable().optional(),
      focusnoteid: z.string().nullable().optional(),
      immersive: z.unknown().optional(),
    })
    .optional(),
})

/** See observed-0.49: `POST /pair`. */
export const pairBodySchema = z.looseObject({ code: z.string(), deviceName: z.string() })
export const pairResponseSchema = z.looseObject({ token: z.string() })

/** Spec §7 names `plugins[].config` of `GET /immersive/template`. */
export const interfaceTemplateSchema = z.looseObject({
  ...versionMembers,
  plugins: z.array(z.looseObject({ id: z.string().optional(), config: z.unknown().optional() })).optional(),
})
