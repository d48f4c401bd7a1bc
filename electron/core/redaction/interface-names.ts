import { holdsDictionary } from '../../../shared/contract/string-traits.ts'
import { contractNames } from './member-kinds.ts'
import { isNearContractName } from './string-shapes.ts'

/** A name in the spelling of programmers: `colorIndex`, but not `anatomy`. */
const CAMEL_CASE = /^[a-z]+(?:[A-Z][a-z]+)+$/
const MAX_NAME_CHARS = 60
/** Names of limits and flags, which stand also where names may be data. */
const LIMIT_NAME = /^(?:max|min|default|is|has|can|allows|supports|requires)(?:[A-Z][a-z]{1,20}){1,4}$/
/** Names of one word that interfaces have, whatever they are about. */
const commonNames: ReadonlySet<string> = new Set(
  `
    a active added align allow allowed alpha anchor angle answers apply args arguments at attempts
    author auto available axis b back bands base blanks blocks blue body bold bookmarks bottom
    bounds box breaks buttons bytes cache callback camera cancelled canvas caption cards category
    cell center changed changes channel checked checksum children chunks class client closed
    closing code color colors columns comment comments completed completion config confirmed
    connected content contents context coordinates copies count counts created current d data date
    day days default degree delay deleted depth description details device diagnostic dimensions
    direct disabled dismissed display distance done draft drawn duration edges editable effect
    elements empty enabled encoding end ended endpoint endpoints entries entry error errors event
    events exact examples excerpt excerpts expanded expected expires expiry exported extension
    extra failed failures fields file files fill filter filters finished first flag flags folded
    folder folders font foreground format formats found frame from front full g generated global
    green grid group groups h handwriting has hash hashtags head header headers height hidden
    highlights hint hits host hours href icon id idle ids image images imported included index
    info ink input inputs inserted instance interval invalid is isolated issues item items job
    jobs key keys kind kinds label labels landscape language languages last layer layers layout
    left length level levels lifetime limit limits line lines link linked links list loaded local
    locale location locked log logs main map mapping margin mask masks matched matches max maximum
    media members message messages meta metadata method methods milliseconds min minimum minutes
    missing mode modes modified month more moved moves ms n name names navigated next node nodes
    none note notes number offset offsets ok on op opacity open opened operation options order
    orientation origin original other others outline output overview owner p padding page pages
    parameters params parent parents part parts path paths paused payload pending percent period
    permissions picture pictures pinned pixels platform plugin plugins points policy position
    positions possible prefix preset presets prev preview previous primary priority processed
    profile progress properties props protocol published q queries query question queue queued r
    radius range ranges rate ratio raw read ready reason reasons receipt received recent record
    records rect rects red ref reference references refs rejected related release remaining
    removed renamed render replaced request requests required reserved reset resolution resource
    resources response responses restored result results retry review revision revisions right
    role roles root roots rotation route routes row rows rule rules run running s sample samples
    scale scanned scenes schema scope score screen scroll seconds section sections segment
    segments selected selection sent seq sequence server session sessions set sets settings shape
    shared side size skipped slices snapshot snapshots sort source sources span spans src start
    started state states statistics stats status step steps stopped stored stroke strokes style
    styles subject summary supported suspended sync synced system t tab table tags target targets
    tasks template templates text texts theme thumbnail time times timestamp title titles to toc
    token tool tools top total totals tracks trashed tree truncated type types unit units unknown
    unread updated uploaded url urls used user users v valid value values variant verified version
    versions view views visible w warning warnings weight width window windows words workspace
    write writing written x y year z zoom
  `
    .trim()
    .split(/\s+/),
)
/** Positions in a list that a host sends as an object. */
const INDEX = /^\d{1,6}$/

/** True for a name, not a value such as a title or tag; `container` is the member around it. */
export function isInterfaceName(name: string, container: string): boolean {
  if (contractNames.has(name) || INDEX.test(name)) return true
  if (LIMIT_NAME.test(name)) return true
  if (name.length > MAX_NAME_CHARS || holdsDictionary(container)) return false
  return commonNames.has(name) || CAMEL_CASE.test(name) || isNearContractName(name)
}
