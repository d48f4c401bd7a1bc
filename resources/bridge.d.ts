/*
 * Types of the host's local bridge, for the page of a panel and its tests. `Routes` is generated
 * from the contract; what the contract does not show is `unknown`.
 *
 *     const palette = await host.api<'GET /study-sets/{topicid}/note-palette'>(`/study-sets/${id}/note-palette`)
 *     if (palette.error) console.warn(palette.error.code)
 *     else palette.colors
 */

/** Every route of the contract, by method and path template. */
export interface Routes {
  /** Liveness and identity of the host; the only endpoint without a token. Source: observed §1; the whole route is only observed */
  readonly 'GET /status': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly app?: string
      readonly appVersion?: string
      readonly routeCount?: number
      readonly apiFingerprint?: string
      readonly guideVersion?: string | number
      readonly guideHash?: string
      readonly enabled?: boolean
      readonly authorized?: boolean
      readonly instanceNonce?: string
      readonly guide?: {
        readonly route?: string
        readonly [member: string]: unknown
      }
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: never
  }
  /** This host’s endpoints and limits; authoritative at run time. Source: spec §1, §9; observed §1 */
  readonly 'GET /capabilities': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly routes?: ReadonlyArray<{
        readonly method?: string
        readonly path?: string
        readonly requiresMax?: boolean
        readonly [member: string]: unknown
      }>
      readonly accessPolicy?: unknown
      readonly presets?: unknown
      readonly anchorModes?: unknown
      readonly noteMetadata?: unknown
      readonly noteHashtags?: unknown
      readonly guide?: unknown
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** This host’s guide in Markdown; authoritative at run time. Source: spec §1; observed §1 */
  readonly 'GET /guide': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: never
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** What the user has open and selected. Source: observed §1; the whole route is only observed */
  readonly 'GET /context': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly available?: boolean
      readonly reason?: string | null
      readonly capturedAt?: string | number | null
      readonly studySet?: {
        readonly topicid?: string
        readonly title?: string
        readonly isDeck?: boolean
        readonly [member: string]: unknown
      } | null
      readonly currentPage?: {
        readonly page?: number
        readonly surfacePage?: number
        readonly blankPage?: number
        readonly mappingAvailable?: boolean
        readonly [member: string]: unknown
      } | null
      readonly documents?: ReadonlyArray<{
        readonly bookmd5?: string
        readonly title?: string
        readonly focused?: boolean
        readonly [member: string]: unknown
      }>
      readonly selectedNotes?: ReadonlyArray<{
        readonly noteid?: string
        readonly title?: string
        readonly [member: string]: unknown
      }>
      readonly focusedNote?: {
        readonly noteid?: string
        readonly title?: string
        readonly [member: string]: unknown
      } | null
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** The command line tool’s installation script; uses up the code, and a new installation replaces the token. Source: observed §1; the whole route is only observed */
  readonly 'GET /install': {
    readonly path: {}
    readonly query: {
      /** Valid once, for ten minutes. From POST /install/code. */
      readonly code?: string
    }
    readonly body: undefined
    readonly response: never
    readonly entry: never
    readonly errorCode: never
  }
  /** Creates a code for the installation; neither replaces the token nor writes a file. Source: observed §1; the whole route is only observed */
  readonly 'POST /install/code': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly [member: string]: unknown
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** JSON-RPC channel: mn_guide, and mn_call, which may call any other route. Source: observed §1; the whole route is only observed */
  readonly 'POST /mcp': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly jsonrpc?: string
      readonly id?: string | number
      readonly method?: string
      readonly params?: {
        readonly [member: string]: unknown
      }
    }
    readonly response: {
      readonly jsonrpc?: string
      readonly result?: unknown
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** Bookmark of the interface. Source: spec §4 referenced; observed §11 */
  readonly 'GET /ui-state': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly state?: {
        readonly topicid?: string | null
        readonly bookmd5?: string | null
        readonly focusnoteid?: string | null
        readonly immersive?: unknown
        readonly [member: string]: unknown
      }
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Restores a bookmarked state of the interface; takes about a second and a half. Source: observed §11; the whole route is only observed */
  readonly 'POST /ui-state/apply': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly state?: {
        readonly [member: string]: unknown
      }
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED'
  }
  /** Exchanges a six-digit code for a token. Source: observed: discovery; the whole route is only observed */
  readonly 'POST /pair': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly code?: string
      readonly deviceName?: string
    }
    readonly response: {
      readonly token?: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'INVALID_JSON' | 'PAIRING_FAILED'
  }
  /** Interface template: plugins and their configuration. Source: spec §7 */
  readonly 'GET /immersive/template': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly plugins?: ReadonlyArray<{
        readonly id?: string
        readonly config?: unknown
        readonly [member: string]: unknown
      }>
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** All study sets, without decks. Source: spec §4 referenced; observed §2 */
  readonly 'GET /library/study-sets': {
    readonly path: {}
    readonly query: {
      /** Only titles that contain this. */
      readonly query?: string
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly topicid?: string
      readonly title?: string | null
      readonly noteCount?: number
      readonly documentCount?: number
      readonly lastModifiedAt?: string | number | null
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Creates a study set with one root card of the same name. Source: observed §2; the whole route is only observed */
  readonly 'POST /library/study-sets': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly title?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Adds a document to the library; the body is the raw bytes of its file. Source: observed §2; the whole route is only observed */
  readonly 'POST /library/documents/upload': {
    readonly path: {}
    readonly query: {
      /** A bare name: no slash, no two dots, no leading dot. */
      readonly filename?: string
      /** Path from the document root; without it, the folder browsed last. From GET /library/folders. */
      readonly folder?: string
      /** Also puts the document into this study set. From GET /library/study-sets. */
      readonly topicid?: string
      /** This route takes its confirmation in the query. */
      readonly confirm?: 1
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Deletes a document in which no card is anchored; there is no recycle bin. Source: observed §2; the whole route is only observed */
  readonly 'POST /library/documents/{bookmd5}/delete': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {}
    readonly body: {
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      | 'UNAUTHORIZED'
      | 'INVALID_JSON'
      | 'MAX_REQUIRED'
      | 'CONFIRM_REQUIRED'
      | 'DOCUMENT_IN_USE'
      | 'VIRTUAL_DOCUMENT_NOT_DELETABLE'
  }
  /** Folders of the document library. Source: observed §2; the whole route is only observed */
  readonly 'GET /library/folders': {
    readonly path: {}
    readonly query: {
      /** Where to begin, with slashes between levels; empty for the root. */
      readonly path?: string
      /** Number of levels below it. */
      readonly depth?: number
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly path?: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Search over notes, study sets and documents. Source: spec §4 referenced; observed §9 */
  readonly 'GET /search': {
    readonly path: {}
    readonly query: {
      /** What to search for. */
      readonly q?: string
      /** Where to search. */
      readonly scope?: 'all' | 'notes' | 'studysets' | 'documents'
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly scanned?: number
      readonly truncated?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly id?: string
      readonly kind?: string
      readonly title?: string | null
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** The card listing: a flat array in document order, page by page. Source: spec §4 card listing; observed §3 */
  readonly 'GET /study-sets/{topicid}/tree': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {
      /** Root card of a sub-map, to read only that sub-map. From GET /study-sets/{topicid}/sub-maps. */
      readonly root?: string
      /** Maximum nodes per response. Default 5000. */
      readonly limit?: number
      /** Start of the next page: nextCursor of the previous response. */
      readonly cursor?: string
      /** Sorts the whole sequence before paging. */
      readonly sort?: 'document'
      /** Also returns, for each tag, the ids of the cards that directly have it. */
      readonly withNotes?: 1
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion: string
      readonly topicid?: string
      readonly nodeTotal?: number
      readonly nodes: ReadonlyArray<{
        readonly noteid?: string
        readonly parent?: string | null
        readonly title?: string | null
        readonly depth?: number
        readonly childCount?: number
        readonly subMapId?: string | null
        readonly docPage?: number | null
        readonly docBookmd5?: string | null
        readonly [member: string]: unknown
      }>
      readonly nextCursor?: string | null
      readonly truncation?: boolean
      readonly walkLimitReached?: boolean
      readonly truncated?: boolean
      /** Observed: "document". */
      readonly sort?: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'
  }
  /** The palette in use: one entry per color level. Source: spec §4 note-palette; observed §3 */
  readonly 'GET /study-sets/{topicid}/note-palette': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion: string
      readonly studySetId: string
      readonly title: string
      readonly count: number
      readonly source: string
      readonly appearance: string
      readonly colors: ReadonlyArray<{
        readonly colorIndex: number
        readonly baseColor: {
          readonly hex: string
          readonly rgba: {
            /** Observed: 0..255. */
            readonly r: number
            /** Observed: 0..255. */
            readonly g: number
            /** Observed: 0..255. */
            readonly b: number
            readonly a: number
            readonly [member: string]: unknown
          }
          readonly [member: string]: unknown
        }
        readonly displayColor: {
          readonly hex: string
          readonly rgba: {
            /** Observed: 0..255. */
            readonly r: number
            /** Observed: 0..255. */
            readonly g: number
            /** Observed: 0..255. */
            readonly b: number
            readonly a: number
            readonly [member: string]: unknown
          }
          readonly [member: string]: unknown
        }
        readonly [member: string]: unknown
      }>
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'
  }
  /** Documents of a study set. Source: spec §4 referenced; observed §3 */
  readonly 'GET /study-sets/{topicid}/documents': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly mainDocument?: unknown
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly bookmd5?: string
      readonly title?: string | null
      /** Observed: "normal", "missing_file". */
      readonly sourceState?: string
      readonly main?: boolean
      readonly pageCount?: number
      readonly excerptCount?: number
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'
  }
  /** Adds a document from the library to a study set. Source: observed §3; the whole route is only observed */
  readonly 'POST /study-sets/{topicid}/documents': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: {
      readonly bookmd5?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'TOPIC_NOT_FOUND'
  }
  /** Removes a document from a study set; cards anchored in it lose their source. Source: observed §3; the whole route is only observed */
  readonly 'POST /study-sets/{topicid}/documents/{bookmd5}/delete': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {}
    readonly body: {
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'TOPIC_NOT_FOUND'
  }
  /** Sub-maps of a study set. Source: spec §4 referenced; observed §3 */
  readonly 'GET /study-sets/{topicid}/sub-maps': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly noteid?: string
      readonly title?: string | null
      readonly cardCount?: number
      readonly parentPath?: unknown
      readonly depth?: number
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'
  }
  /** Hashtags of a study set, flat and nested. Source: observed §3; the whole route is only observed */
  readonly 'GET /study-sets/{topicid}/hashtags': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {
      /** Also returns the ids of the cards that directly have each full tag path. */
      readonly withNotes?: 1
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly hashtags?: ReadonlyArray<unknown>
      readonly nodes?: ReadonlyArray<{
        readonly path?: string
        readonly name?: string
        readonly directCardCount?: number
        readonly cardCount?: number
        readonly derived?: boolean
        readonly noteIds?: ReadonlyArray<string>
        readonly [member: string]: unknown
      }>
      readonly tree?: ReadonlyArray<unknown>
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'
  }
  /** Version points of a study set. Source: observed §3; the whole route is only observed */
  readonly 'GET /study-sets/{topicid}/snapshots': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly snapshotId?: string
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'
  }
  /** Creates a version point, or returns the last one if nothing has changed since; runs at once. Source: observed §3; the whole route is only observed */
  readonly 'POST /study-sets/{topicid}/snapshots': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: {
      readonly description?: string
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'TOPIC_NOT_FOUND'
  }
  /** Document notebooks of a study set. Source: observed §3; the whole route is only observed */
  readonly 'GET /study-sets/{topicid}/notebooks': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly id?: string
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED' | 'TOPIC_NOT_FOUND'
  }
  /** Opens a study set on the user’s screen. Source: observed §3; the whole route is only observed */
  readonly 'POST /study-sets/{topicid}/open': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: {
      readonly bookmd5?: string
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'TOPIC_NOT_FOUND' | 'DOCUMENT_FILE_MISSING' | 'IS_A_DECK'
  }
  /** Deletes a study set or deck if its title is the expected one; its highlights stay unless requested otherwise. Source: observed §3; the whole route is only observed */
  readonly 'POST /study-sets/{topicid}/delete': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: {
      readonly expectedTitle?: string
      readonly keepHighlights?: boolean
      readonly keepSnapshotHistory?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      | 'UNAUTHORIZED'
      | 'INVALID_JSON'
      | 'MAX_REQUIRED'
      | 'CONFIRM_REQUIRED'
      | 'APPROVAL_DENIED'
      | 'APPROVAL_TIMEOUT'
      | 'TOPIC_NOT_FOUND'
      | 'TITLE_MISMATCH'
  }
  /** Plans the printed pages of a mind map; writes no file. Source: observed §3; the whole route is only observed */
  readonly 'POST /study-sets/{topicid}/mindmap-print/preview': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: {
      /** Layout; keepStructure is level by level */
      readonly mode?: 'keepStructure' | 'classic' | 'cardFlow'
      /** Density; classic from 0.995 or 1 */
      readonly densityValue?: number
      /** Card whose branch is planned; without it, the whole map */
      readonly rootNoteId?: string
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly schema?: string
      readonly pageCountEstimate?: number
      readonly pages?: ReadonlyArray<{
        readonly kind?: string
        readonly visibleDepth?: number
        readonly visibleNoteIds?: ReadonlyArray<string>
        readonly sliceIndex?: number
        readonly sliceCount?: number
        readonly [member: string]: unknown
      }>
      readonly exportOptions?: unknown
      readonly planFingerprint?: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'TOPIC_NOT_FOUND'
  }
  /** Creates a PDF from a print plan in the host’s export folder. Source: observed §3; the whole route is only observed */
  readonly 'POST /study-sets/{topicid}/mindmap-print/export': {
    readonly path: {
      /** Id of the study set. From state.topicid of GET /ui-state, GET /library/study-sets, or window.topicid of GET /writing/context. */
      readonly topicid: string
    }
    readonly query: {}
    readonly body: {
      readonly plan?: {
        readonly [member: string]: unknown
      }
      readonly fileName?: string
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'TOPIC_NOT_FOUND' | 'EXPORT_BUSY'
  }
  /** Restores a whole study set to a version point; the documents’ contents lists are not covered. Source: observed §8; the whole route is only observed */
  readonly 'POST /snapshots/{snapshotId}/restore': {
    readonly path: {
      /** Id of the version point. From GET /study-sets/{topicid}/snapshots. */
      readonly snapshotId: string
    }
    readonly query: {}
    readonly body: {
      readonly force?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      | 'UNAUTHORIZED'
      | 'INVALID_JSON'
      | 'MAX_REQUIRED'
      | 'CONFIRM_REQUIRED'
      | 'APPROVAL_DENIED'
      | 'APPROVAL_TIMEOUT'
      | 'STUDY_SET_IN_USE'
      | 'USER_EDITS_PRESENT'
  }
  /** All decks. Source: observed §6; the whole route is only observed */
  readonly 'GET /decks': {
    readonly path: {}
    readonly query: {
      /** Only titles that contain this. */
      readonly query?: string
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly deckId?: string
      readonly title?: string | null
      readonly cardCount?: number
      readonly lastModifiedAt?: string | number | null
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Creates a deck. Source: observed §6; the whole route is only observed */
  readonly 'POST /decks': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly title?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Cards of a deck, and whether their sources still exist. Source: observed §6; the whole route is only observed */
  readonly 'GET /decks/{deckId}/cards': {
    readonly path: {
      /** Id of the deck; never that of a study set. From GET /decks. */
      readonly deckId: string
    }
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly deckId?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly cardNoteId?: string
      readonly sourceNoteId?: string | null
      readonly sourceAlive?: boolean
      readonly title?: string | null
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED' | 'NOT_A_DECK'
  }
  /** Creates review cards from cards; an existing one is updated and rescheduled. Source: observed §6; the whole route is only observed */
  readonly 'POST /decks/{deckId}/cards': {
    readonly path: {
      /** Id of the deck; never that of a study set. From GET /decks. */
      readonly deckId: string
    }
    readonly query: {}
    readonly body: {
      readonly cards?: ReadonlyArray<{
        readonly sourceNoteId?: string
        readonly question?: string
        readonly questionContentId?: string
        readonly title?: string
      }>
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'NOT_A_DECK'
  }
  /** Opens a deck on the user’s screen. Source: observed §6; the whole route is only observed */
  readonly 'POST /decks/{deckId}/open': {
    readonly path: {
      /** Id of the deck; never that of a study set. From GET /decks. */
      readonly deckId: string
    }
    readonly query: {}
    readonly body: {
      readonly [member: string]: unknown
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'NOT_A_DECK'
  }
  /** Excerpts of a document, and segments at duplicate positions. Source: spec §4 excerpts */
  readonly 'GET /documents/{bookmd5}/excerpts': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {
      /** Only this study set. */
      readonly studySet?: string
      /** Only the duplicate segments, not every excerpt. */
      readonly duplicatesOnly?: 1
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly bookmd5: string
      readonly title: string
      readonly total: number
      readonly topicCount: number
      readonly duplicates: ReadonlyArray<unknown>
      readonly items: ReadonlyArray<{
        readonly noteid: string
        readonly cardNoteId: string
        readonly topicid: string
        readonly page: number
        readonly startpos: number
        readonly endpos: number
        readonly text: string
        readonly [member: string]: unknown
      }>
      readonly truncated: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Table of contents and page count. Source: observed §4; the whole route is only observed */
  readonly 'GET /documents/{bookmd5}/outline': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly segments?: ReadonlyArray<{
        readonly title?: string
        readonly startPage?: number
        readonly level?: number
        readonly children?: ReadonlyArray<unknown>
        readonly [member: string]: unknown
      }>
      readonly title?: string
      readonly hasToc?: boolean
      readonly pageCount?: number
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Texts of at most 60 pages. Source: observed §4; the whole route is only observed */
  readonly 'GET /documents/{bookmd5}/pages': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {
      /** First page. */
      readonly start?: number
      /** Last page. */
      readonly end?: number
      /** Also returns the text blocks. */
      readonly blocks?: 1
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly page?: number
      readonly text?: string
      readonly blocks?: ReadonlyArray<unknown>
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED' | 'SCAN_BUSY' | 'SCAN_TIMEOUT'
  }
  /** The readable images of a page, and its blanks. Source: spec §4 referenced; observed §4 */
  readonly 'GET /documents/{bookmd5}/pages/{index}/parts': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
      /** Page order in the PDF; the first page is 1. */
      readonly index: number
    }
    readonly query: {
      /** Priority of the legacy blank mapping; does not filter by study set. */
      readonly studySet?: string
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly parts?: ReadonlyArray<{
        readonly contentId?: string
        readonly contentPath?: string
        readonly mimeType?: string
        readonly kind?: string
        readonly topicid?: string
        readonly [member: string]: unknown
      }>
      readonly contentIds?: ReadonlyArray<string>
      readonly blanks?: ReadonlyArray<{
        readonly contentIds?: ReadonlyArray<string>
        readonly segments?: ReadonlyArray<unknown>
        readonly mapBacked?: boolean
        readonly [member: string]: unknown
      }>
      readonly topicFilteringApplied?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Handwriting image of a page. Source: spec §4 page content; observed §4 */
  readonly 'GET /documents/{bookmd5}/pages/{index}/content/{contentId}': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
      /** Page order in the PDF; the first page is 1. */
      readonly index: number
      /** Identity of the binary item. From items[].parts[].contentId of POST /notes/batch-get or contentIds of GET …/parts. */
      readonly contentId: string
    }
    readonly query: {
      /** Longest edge of the returned image, pixels. Default 2048. */
      readonly maxEdge?: number
      /** Priority of the legacy blank mapping; does not filter by study set. */
      readonly studySet?: string
    }
    readonly body: undefined
    readonly response: never
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Lines that may be headings, on at most 60 pages; a scanned page takes about three seconds. Source: observed §4; the whole route is only observed */
  readonly 'GET /documents/{bookmd5}/toc-candidates': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {
      /** First page. */
      readonly start?: number
      /** Last page. */
      readonly end?: number
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly pagesScanned?: number
      readonly truncated?: boolean
      readonly nextStart?: number | null
      readonly hint?: unknown
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly page?: number
      readonly text?: string
      readonly height?: number
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED' | 'SCAN_BUSY'
  }
  /** Writes a document’s contents list, or chooses which one is shown; every study set sees it. Source: observed §4; the whole route is only observed */
  readonly 'POST /documents/{bookmd5}/toc': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {}
    readonly body: {
      readonly entries?: ReadonlyArray<{
        readonly title?: string
        readonly page?: number
        readonly level?: number
        readonly anchor?: unknown
      }>
      readonly useOriginal?: boolean
      readonly useAI?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'TOC_GENERATION_IN_PROGRESS'
  }
  /** Finds a text on a page; may scroll to it. Source: observed §4; the whole route is only observed */
  readonly 'POST /documents/{bookmd5}/locate': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {}
    readonly body: {
      /** Literally from the document */
      readonly text?: string
      /** Order in the PDF, first page 1; other pages are not searched */
      readonly page?: number
      /** Also scrolls there, if this document is open; highlights nothing */
      readonly navigate?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly found?: boolean
      readonly page?: number | null
      readonly matchedText?: string | null
      readonly algorithm?: string | null
      readonly score?: number | null
      readonly reason?: string | null
      readonly navigated?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** Creates a flat PDF with a study set’s annotations in the host’s export folder. Source: observed §4; the whole route is only observed */
  readonly 'POST /documents/{bookmd5}/export': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {}
    readonly body: {
      readonly topicid?: string
      readonly selectedPageNos?: ReadonlyArray<number>
      readonly includeRelatedBlankPages?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'EXPORT_BUSY'
  }
  /** Whether a document’s file is present and in sync. Source: observed §4; the whole route is only observed */
  readonly 'GET /documents/{bookmd5}/sync-status': {
    readonly path: {
      /** Content identifier of the document. From bookmd5 in GET /study-sets/{topicid}/documents, state.bookmd5 of GET /ui-state, or GET /search?scope=documents. */
      readonly bookmd5: string
    }
    readonly query: {
      /** Also compares the file’s hash. */
      readonly verifyHash?: 1
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly state?: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Creates a working folder for at most 60 pages; one at a time. Source: observed §7; the whole route is only observed */
  readonly 'POST /bundles/prepare': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly topicid?: string
      readonly bookmd5?: string
      readonly segments?: ReadonlyArray<{
        readonly startPage?: number
        readonly endPage?: number
        readonly title?: string
      }>
      readonly preset?: string
      readonly anchorMode?: 'page_text' | 'block'
      readonly title?: string
      readonly cardStyle?: {
        readonly defaultFillIndex?: number
      }
      readonly async?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'PREPARE_BUSY' | 'PREPARE_CANCELLED'
  }
  /** Task bundles and their state. Source: observed §7; the whole route is only observed */
  readonly 'GET /bundles': {
    readonly path: {}
    readonly query: {
      /** Only bundles made by the bridge. */
      readonly origin?: 'bridge'
      /** Only newer ones. */
      readonly since?: string
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly bundleId?: string
      /** Observed: "preparing", "prepared", "imported", "failed", "cancelled". */
      readonly state?: string
      readonly progress?: {
        readonly pagesDone?: number
        readonly pagesTotal?: number
        readonly [member: string]: unknown
      } | null
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Without a path, the list of a bundle’s files; with one, the raw bytes of that file. Source: spec §1; observed §7 */
  readonly 'GET /bundles/{bundleId}/files': {
    readonly path: {
      /** Id of the task bundle. From GET /bundles. */
      readonly bundleId: string
    }
    readonly query: {
      /** Path of the file inside the bundle. */
      readonly path?: string
    }
    readonly body: undefined
    readonly response: never
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Imports a bundle at once; the second time replaces the whole tree. Source: observed §7; the whole route is only observed */
  readonly 'POST /bundles/{bundleId}/submit': {
    readonly path: {
      /** Id of the task bundle. From GET /bundles. */
      readonly bundleId: string
    }
    readonly query: {}
    readonly body: {
      readonly targetParentNoteId?: string
      readonly withBlank?: boolean
      readonly excerptMode?: 'child' | 'link'
      readonly resultMarkdown?: string
      readonly force?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'SUBMIT_IN_FLIGHT' | 'USER_EDITS_PRESENT'
  }
  /** Shows what a bundle was imported to. Source: observed §7; the whole route is only observed */
  readonly 'POST /bundles/{bundleId}/focus': {
    readonly path: {
      /** Id of the task bundle. From GET /bundles. */
      readonly bundleId: string
    }
    readonly query: {}
    readonly body: {
      readonly [member: string]: unknown
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** Deletes the working folder of a bundle, or cancels its preparation; never imported cards. Source: observed §7; the whole route is only observed */
  readonly 'POST /bundles/{bundleId}/discard': {
    readonly path: {
      /** Id of the task bundle. From GET /bundles. */
      readonly bundleId: string
    }
    readonly query: {}
    readonly body: {
      readonly [member: string]: unknown
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'DISCARD_FAILED'
  }
  /** Diagnostics of synchronisation. Source: observed §10; the whole route is only observed */
  readonly 'GET /sync/legacy/status': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Events of synchronisation after a sequence number. Source: observed §10; the whole route is only observed */
  readonly 'GET /sync/legacy/events': {
    readonly path: {}
    readonly query: {
      /** Only later events. */
      readonly afterSequence?: number
      /** Maximum events per response. Default 50. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly lastSequence?: number
      readonly hasMore?: boolean
      readonly historyTruncated?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: {
      readonly sequence?: number
      readonly [member: string]: unknown
    }
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Makes the synchronisation check again; it may apply waiting remote changes. Source: observed §10; the whole route is only observed */
  readonly 'POST /sync/legacy/recheck': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly database?: boolean
      readonly documents?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** Compares local with remote data without changing either; slow, and uses quota. Source: observed §10; the whole route is only observed */
  readonly 'POST /sync/legacy/inventory': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly [member: string]: unknown
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** Cards with texts and parts; a POST that only reads. Source: spec §4 batch-get; observed §5 */
  readonly 'POST /notes/batch-get': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      /** Ids of cards (noteid) */
      readonly noteIds: ReadonlyArray<string>
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly items: ReadonlyArray<{
        readonly noteid: string
        readonly title?: string | null
        readonly texts?: ReadonlyArray<{
          readonly index?: number
          readonly text?: string | null
          readonly excerpt?: boolean
          readonly noteid?: string
          readonly kind?: string
          readonly [member: string]: unknown
        }>
        readonly parts: ReadonlyArray<{
          readonly contentId?: string
          readonly index?: number
          readonly kind?: string
          readonly noteid?: string
          readonly excerpt?: boolean
          readonly contentPath?: string
          readonly mimeType?: string
          readonly ocrText?: string
          readonly occlusion?: {
            readonly coordinateSpace?: unknown
            readonly masks?: ReadonlyArray<{
              readonly index?: number
              readonly rect?: unknown
              readonly group?: unknown
              readonly [member: string]: unknown
            }>
            readonly [member: string]: unknown
          } | null
          readonly occlusionBaseContentPath?: string
          readonly [member: string]: unknown
        }>
        readonly metadata?: {
          readonly colorIndex?: number | null
          readonly fillIndex?: number | null
          readonly [member: string]: unknown
        } | null
        readonly hashtags?: ReadonlyArray<unknown>
        readonly hashtagPaths?: ReadonlyArray<unknown>
        readonly [member: string]: unknown
      }>
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** Image, audio or video of a card. Source: spec §4 note content; observed §5 */
  readonly 'GET /notes/{noteid}/content/{contentId}': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
      /** Identity of the binary item. From items[].parts[].contentId of POST /notes/batch-get. */
      readonly contentId: string
    }
    readonly query: {
      /** Longest edge of the returned image, pixels. */
      readonly maxEdge?: number
      /** The composited image, or only the base layer. */
      readonly layers?: 'composite' | 'base'
    }
    readonly body: undefined
    readonly response: never
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** The card as a long image or a PDF. Source: spec §1; observed §5 */
  readonly 'GET /notes/{noteid}/render': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {
      /** Output format. */
      readonly format?: 'png' | 'pdf'
      /** Width in pixels. Default 720. */
      readonly width?: number
    }
    readonly body: undefined
    readonly response: never
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Appends one blank band below the card. Source: spec §4 blank-bands */
  readonly 'POST /notes/{noteid}/blank-bands': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly role?: string
      readonly height?: number
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion: string
      readonly band: {
        readonly noteid: string
        readonly closed: boolean
        readonly owner: string
        readonly blankPageNo: number
        readonly hasInk: boolean
        readonly seq: number
        readonly live: boolean
        readonly inkParts: number
        readonly height: number
        readonly physicalNoteId: string
        readonly role: string
        readonly pageNo: number
        readonly [member: string]: unknown
      }
      readonly bands: ReadonlyArray<{
        readonly noteid: string
        readonly closed: boolean
        readonly owner: string
        readonly blankPageNo: number
        readonly hasInk: boolean
        readonly seq: number
        readonly live: boolean
        readonly inkParts: number
        readonly height: number
        readonly physicalNoteId: string
        readonly role: string
        readonly pageNo: number
        readonly [member: string]: unknown
      }>
      readonly noteid: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'CONFIRM_REQUIRED'
  }
  /** Records whether the answer was mastered, and the cause of error. Source: spec §4 practice-verdict */
  readonly 'POST /notes/{noteid}/practice-verdict': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly commentId?: string
      readonly expectedRevision: string | number
      readonly practice?: {
        readonly topic?: string
      }
      readonly self?: string
      readonly reason?: string
      readonly addon?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion: string
      readonly persisted: boolean
      readonly noteid: string
      readonly commentId: string
      readonly practice: {
        readonly addon: string
        readonly topic: string
        readonly card: string
        readonly self: string
        readonly reason?: string
        readonly reasonLabel?: string
        readonly at: number
        readonly [member: string]: unknown
      }
      readonly hashtags: ReadonlyArray<string>
      readonly tagsChanged: boolean
      readonly commentsRevision: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      | 'UNAUTHORIZED'
      | 'INVALID_JSON'
      | 'CONFIRM_REQUIRED'
      | 'COMMENT_CHANGED'
      | 'PRACTICE_CONFIG_UNAVAILABLE'
      | 'PRACTICE_TOPIC_CHANGED'
      | 'PRACTICE_KEY_INVALID'
  }
  /** Adds, removes or replaces hashtags of cards. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/hashtags': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly noteIds?: ReadonlyArray<string>
      readonly operation?: 'add' | 'remove' | 'replace'
      readonly hashtags?: ReadonlyArray<string>
      readonly includeDescendants?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Sets color and fill of cards. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/metadata': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly noteIds?: ReadonlyArray<string>
      readonly patch?: {
        readonly colorIndex?: number
        readonly fillIndex?: number
      }
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Moves cards below another card of the same study set. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/move': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly noteIds?: ReadonlyArray<string>
      readonly targetParentNoteId?: string
      readonly moves?: ReadonlyArray<{
        readonly noteIds?: ReadonlyArray<string>
        readonly targetParentNoteId?: string
      }>
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Copies whole branches below another card, as references or as clones. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/copy': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly noteIds?: ReadonlyArray<string>
      readonly targetParentNoteId?: string
      readonly mode?: 'reference' | 'clone'
      readonly copies?: ReadonlyArray<{
        readonly noteIds?: ReadonlyArray<string>
        readonly targetParentNoteId?: string
        readonly mode?: 'reference' | 'clone'
      }>
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Deletes the named cards of one study set; their children are reattached elsewhere. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/delete': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly noteIds?: ReadonlyArray<string>
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'APPROVAL_DENIED' | 'APPROVAL_TIMEOUT'
  }
  /** Folds or unfolds cards on the mind map. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/fold': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly noteIds?: ReadonlyArray<string>
      readonly folded?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Sets the title of a card. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/title': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly text?: string
      readonly expectedPrefix?: string
      readonly markdown?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'HASHTAG_ROUTE_REQUIRED'
  }
  /** Sets the text of a card, or of a blank. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/text': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly text?: string
      readonly expectedPrefix?: string
      readonly markdown?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'HASHTAG_ROUTE_REQUIRED'
  }
  /** Appends a comment to a card; a comment that is only a card link becomes a real link. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/comments': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly text?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'HASHTAG_ROUTE_REQUIRED'
  }
  /** Changes a comment of a card. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/comments/{index}': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
      /** Number of the comment: texts[].index of POST /notes/batch-get, from 1. */
      readonly index: number
    }
    readonly query: {}
    readonly body: {
      readonly text?: string
      readonly expectedPrefix?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      | 'UNAUTHORIZED'
      | 'INVALID_JSON'
      | 'MAX_REQUIRED'
      | 'CONFIRM_REQUIRED'
      | 'COMMENT_CHANGED'
      | 'HASHTAG_ROUTE_REQUIRED'
  }
  /** Deletes a comment of a card. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/comments/{index}/delete': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
      /** Number of the comment: texts[].index of POST /notes/batch-get, from 1. */
      readonly index: number
    }
    readonly query: {}
    readonly body: {
      readonly expectedPrefix?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'COMMENT_CHANGED'
  }
  /** Merges a card’s children into it; merged cards disappear. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/merge-branch': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly recursive?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED'
  }
  /** Turns a branch into a sub-map, or back. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/fold-into-sub-map': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly undo?: boolean
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'MAX_REQUIRED' | 'CONFIRM_REQUIRED' | 'NO_CHILDREN'
  }
  /** Sets the occlusions on a card’s image; always after a dry run. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/image-occlusions': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly coordinateSpace?: 'normalized'
      readonly operation?: 'add' | 'replace'
      readonly masks?: ReadonlyArray<{
        readonly rect?: {
          readonly x?: number
          readonly y?: number
          readonly width?: number
          readonly height?: number
          readonly w?: number
          readonly h?: number
        }
        readonly group?: unknown
        readonly flags?: unknown
        readonly isText?: boolean
      }>
      readonly expectedSourceFingerprint?: string
      readonly expectedMaskFingerprint?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode:
      | 'UNAUTHORIZED'
      | 'INVALID_JSON'
      | 'MAX_REQUIRED'
      | 'CONFIRM_REQUIRED'
      | 'IMAGE_SOURCE_CHANGED'
      | 'OCCLUSION_CHANGED'
  }
  /** Shows a card on the user’s screen. Source: observed §5; the whole route is only observed */
  readonly 'POST /notes/{noteid}/focus': {
    readonly path: {
      /** Id of the card. From a card command response, items[].noteid of POST /notes/batch-get, or state.focusnoteid of GET /ui-state. */
      readonly noteid: string
    }
    readonly query: {}
    readonly body: {
      readonly topicid?: string
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly persisted?: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
  /** The window that is being written in. Source: spec §4 referenced */
  readonly 'GET /writing/context': {
    readonly path: {}
    readonly query: {}
    readonly body: undefined
    readonly response: {
      readonly bridgeApiVersion?: string
      readonly window?: {
        readonly topicid?: string | null
        readonly [member: string]: unknown
      } | null
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED'
  }
  /** Starts a focus-card attempt inside a practice session. Source: spec §4 session-focus-begin */
  readonly 'POST /writing/session-focus-begin': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly requestId: string
      readonly runId: string
      readonly questionId?: string
      readonly carrier?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion: string
      /** Observed: 1. */
      readonly schemaVersion: number
      readonly requestId: string
      readonly runId: string
      readonly attemptId: string
      /** Observed: "accepted". */
      readonly state: string
      /** Observed: "pending". */
      readonly outcome: string
      /** Observed: false. */
      readonly settled: boolean
      readonly persisted: boolean
      /** Observed: false. */
      readonly ready: boolean
      /** Observed: false. */
      readonly canSwitch: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'CONFIRM_REQUIRED'
  }
  /** Reserves the next attempt of the current practice session. Source: spec §4 session-reserve */
  readonly 'POST /writing/session-reserve': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly requestId: string
      readonly runId: string
      readonly questionId?: string
      readonly carrier?: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion: string
      /** Observed: 1. */
      readonly schemaVersion: number
      readonly requestId: string
      readonly runId: string
      readonly attemptId: string
      /** Observed: "accepted". */
      readonly state: string
      /** Observed: "pending". */
      readonly outcome: string
      /** Observed: false. */
      readonly settled: boolean
      readonly persisted: boolean
      /** Observed: false. */
      readonly ready: boolean
      /** Observed: false. */
      readonly canSwitch: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'CONFIRM_REQUIRED'
  }
  /** Pauses the current practice session; writes only its record. Source: spec §4 session-pause */
  readonly 'POST /writing/session-pause': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly requestId: string
      readonly runId: string
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion: string
      /** Observed: 1. */
      readonly schemaVersion: number
      readonly requestId: string
      readonly runId: string
      readonly attemptId: string
      /** Observed: "accepted". */
      readonly state: string
      /** Observed: "pending". */
      readonly outcome: string
      /** Observed: false. */
      readonly settled: boolean
      readonly persisted: boolean
      /** Observed: false. */
      readonly ready: boolean
      /** Observed: false. */
      readonly canSwitch: boolean
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'CONFIRM_REQUIRED'
  }
  /** Saves the focus root canvas’s strokes as a snapshot; the response is an acceptance, not the outcome. Source: spec §4 pencil-commit */
  readonly 'POST /writing/pencil-commit': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      readonly surfaceId: string
      readonly requestId: string
      readonly target: {
        readonly topicid: string
        readonly noteid: string
        readonly layerId: string
      }
      readonly confirm?: boolean
    }
    readonly response: {
      readonly bridgeApiVersion: string
      /** Observed: 1. */
      readonly schemaVersion: number
      /** Observed: "pending". */
      readonly state: string
      /** Observed: "at-native-callback-only". */
      readonly currentness: string
      /** Observed: false. */
      readonly ready: boolean
      readonly surfaceId: string
      readonly inputGate: {
        /** Observed: "application-ui-only". */
        readonly scope: string
        /** Observed: "active". */
        readonly state: string
        readonly programmaticNavigationBlocked: boolean
        readonly grantsCallerLease: boolean
        readonly [member: string]: unknown
      }
      readonly topicid: string
      /** Observed: "focus-pencil-snapshot-only". */
      readonly scope: string
      readonly requestId: string
      readonly persisted?: boolean
      readonly windowId: string
      /** Observed: null. */
      readonly receipt: unknown
      /** Observed: false. */
      readonly canSwitch: boolean
      readonly target: {
        readonly topicid: string
        readonly noteid: string
        readonly layerId: string
        readonly [member: string]: unknown
      }
      /** Observed: true. */
      readonly inputFrozen: boolean
      /** Observed: false. */
      readonly includesNonPencilEditors: boolean
      /** Observed: "process-local-operation-record". */
      readonly durability: string
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON' | 'CONFIRM_REQUIRED'
  }
  /** Outcome of a pencil commit by its request id; a POST that only reads. Source: spec §4 pencil-result */
  readonly 'POST /writing/pencil-result': {
    readonly path: {}
    readonly query: {}
    readonly body: {
      /** The same one as in pencil-commit, not a new one */
      readonly requestId: string
    }
    readonly response: {
      readonly bridgeApiVersion?: string
      /** Observed: 1. */
      readonly schemaVersion?: number
      readonly settled: boolean
      readonly outcome?: string | null
      readonly persistedSnapshotVerified?: boolean | null
      readonly snapshotCurrent?: boolean | null
      readonly [member: string]: unknown
    }
    readonly entry: never
    readonly errorCode: 'UNAUTHORIZED' | 'INVALID_JSON'
  }
}

export type Route = keyof Routes
type Member<R extends Route, Name extends string> = Routes[R] extends { readonly [N in Name]: infer Value }
  ? Value
  : never

/** Values of the placeholders in the path. */
export type PathParametersOf<R extends Route> = Member<R, 'path'>
/** Values of the query, before they are encoded. */
export type QueryOf<R extends Route> = Member<R, 'query'>
/** The body of the request as JSON; undefined if the route takes none. */
export type BodyOf<R extends Route> = Member<R, 'body'>
/** The JSON of a response without an error; never for a route that returns no JSON. */
export type ResponseOf<R extends Route> = Member<R, 'response'>
/** An entry of the list in the response, where the contract does not show the name of the list. */
export type EntryOf<R extends Route> = Member<R, 'entry'>
/** The known error codes of the route. A host may send others, too. */
export type ErrorCodeOf<R extends Route> = Member<R, 'errorCode'>

/** Codes with which `host.api` itself fails are not documented, so any other text is possible. */
export interface Failure<Code = never> {
  readonly error: {
    readonly code: Code | (string & Record<never, never>)
    readonly message?: string
    readonly details?: unknown
    readonly [member: string]: unknown
  }
}

/** What `host.api` resolves to: it never rejects, and a failure is a value with `error`. */
export type ResultOf<R extends Route> = R extends Route
  ? (ResponseOf<R> & { readonly error?: undefined }) | Failure<ErrorCodeOf<R>>
  : never

/** A path of the route with values in place of its placeholders, and perhaps a query. */
export type PathOf<R extends Route> = R extends `${string} ${infer Template}`
  ? Fill<Template> | `${Fill<Template>}?${string}`
  : never
type Fill<Template extends string> = Template extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Fill<After>}`
  : Template

/** The options of `fetch` for the route; `body` is the text of a `BodyOf<R>`. */
export type OptionsOf<R extends Route> = R extends `${infer Method} ${string}`
  ? Omit<RequestInit, 'method' | 'body'> &
      (Method extends 'GET' ? { readonly method?: 'GET' } : { readonly method: Method }) &
      (Routes[Extract<R, Route>]['body'] extends undefined ? { readonly body?: undefined } : { readonly body: string })
  : never
type OptionalIfEmpty<Options> = object extends Options ? [options?: Options] : [options: Options]

type Split<Path extends string> = Path extends `${infer Head}/${infer Rest}` ? [Head, ...Split<Rest>] : [Path]
type WithoutQuery<Path extends string> = Path extends `${infer Bare}?${string}` ? Bare : Path
type Fits<Template, Segments> = Template extends [infer Name extends string, ...infer Names]
  ? Segments extends [infer Segment extends string, ...infer Rest]
    ? Name extends `{${string}}`
      ? Fits<Names, Rest>
      : Segment extends Name
        ? Fits<Names, Rest>
        : false
    : false
  : Segments extends []
    ? true
    : false
/** The routes whose template a path fits; never for a path that is only known when it is sent. */
export type RouteOf<Method extends string, Path extends string> = string extends Method
  ? never
  : `${Method} ${Path}` extends infer Exact extends Route
    ? Exact
    : {
        [R in Route]: R extends `${Method} ${infer Template}`
          ? Fits<Split<Template>, Split<WithoutQuery<Path>>> extends true
            ? R
            : never
          : never
      }[Route]
type ResultOfCall<R extends Route> = [R] extends [never] ? unknown : ResultOf<R>

/** The helper of the host in the page of a panel. */
export interface Host {
  /**
   * Calls the host, and knows the route by the texts of path and method. The result is `unknown` if
   * they are computed or in no route of the contract.
   */
  api<const Path extends string, const Options extends RequestInit>(
    path: Path,
    options?: Options,
  ): Promise<
    ResultOfCall<RouteOf<Options extends { readonly method: infer Method extends string } ? Method : 'GET', Path>>
  >
  /** Calls a route of the contract, whose path and options are checked. */
  api<R extends Route>(path: PathOf<R>, ...options: OptionalIfEmpty<OptionsOf<R>>): Promise<ResultOf<R>>
}

declare global {
  var host: Host
}
