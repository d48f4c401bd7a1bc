import { z } from 'zod'

/** The random id that the page's helper script gives a call, by which its notes name the call. */
export const pageCallIdSchema = z.string().regex(/^[\da-f]{12}-\d{1,9}$/)

/** A position in a file of a panel. Lines and columns are counted from 1. */
export const sourcePositionSchema = z.strictObject({
  /** Path with query on the panel's origin, or the name of a source in a source map. */
  file: z.string().max(2000),
  line: z.number().int().positive(),
  column: z.number().int().positive().nullable(),
})
export type SourcePosition = z.infer<typeof sourcePositionSchema>

/** A stack with more frames is cut after this many. */
export const MAX_CALL_FRAMES = 20

/** A frame of the stack with which a panel's page made a call, as the page reported it. */
export const callFrameSchema = sourcePositionSchema.extend({
  /** Name of the function; empty if it has none. */
  functionName: z.string().max(200),
  /** True if the frame waited for a promise whose continuation is the frame before. */
  isAsync: z.boolean(),
  /** Position in the original source; null without a source map. */
  original: sourcePositionSchema.nullable(),
  /** True if the code belongs to a package that the page uses. */
  isLibrary: z.boolean(),
  /** True if the code only passes on the calls of other code. */
  isWrapper: z.boolean(),
})
export type CallFrame = z.infer<typeof callFrameSchema>

/** The request of an element, a module or a worker, which has no stack. */
export const callLoaderSchema = z.strictObject({
  /** `Sec-Fetch-Dest`, such as `image`; empty for a call of a worker's code. */
  destination: z.string().max(40),
  /** Path with query of the document, style sheet, module or worker; empty if unknown. */
  file: z.string().max(2000),
  /** The only place in the panel's files that names the address; null if that is not proven. */
  position: sourcePositionSchema.extend({ original: sourcePositionSchema.nullable() }).nullable(),
})
export type CallLoader = z.infer<typeof callLoaderSchema>

/** The code, or the file, that made a call of a panel. */
export const callInitiatorSchema = z.strictObject({
  /** The stack, with the innermost frame first; null if the browser told none. */
  frames: z.array(callFrameSchema).max(MAX_CALL_FRAMES).nullable(),
  loader: callLoaderSchema.nullable(),
})
export type CallInitiator = z.infer<typeof callInitiatorSchema>

/** The place in a panel's sources that is named as the initiator of a call. */
export const initiatorPlaceSchema = z.strictObject({
  /** Path without a query, in the original source where there is a source map. */
  file: z.string(),
  /** Null if only the file is known. */
  line: z.number().int().positive().nullable(),
  column: z.number().int().positive().nullable(),
  /** Empty if the function has no name. */
  functionName: z.string(),
})
export type InitiatorPlace = z.infer<typeof initiatorPlaceSchema>

/** Returns the page's innermost frame that is no wrapper, else a wrapper, else one of a package. */
export function findInitiatorFrame(frames: readonly CallFrame[] | null): CallFrame | null {
  return (
    frames?.find(({ isLibrary, isWrapper }) => !isLibrary && !isWrapper) ??
    frames?.find(({ isLibrary }) => !isLibrary) ??
    frames?.[0] ??
    null
  )
}

/** Returns null if nothing tells where the call was made. */
export function findInitiatorPlace({ frames, loader }: CallInitiator): InitiatorPlace | null {
  const frame = findInitiatorFrame(frames)
  const position = frame ?? loader?.position ?? null
  const { file, line, column } = position?.original ??
    position ?? { file: loader?.file ?? '', line: null, column: null }
  return file === '' ? null : { file: removeQuery(file), line, column, functionName: frame?.functionName ?? '' }
}

/** Formats a place as `path:line:column`, as far as they are known. */
export function formatInitiatorPlace({
  file,
  line,
  column = null,
}: Pick<InitiatorPlace, 'file' | 'line'> & { readonly column?: number | null }): string {
  return [file, line, column].filter((part) => part !== null).join(':')
}

/** Converts every text of an initiator that the page or its files chose. */
export function mapInitiatorTexts(
  { frames, loader }: CallInitiator,
  convert: { readonly toFile: (file: string) => string; readonly toFunctionName: (name: string) => string },
): CallInitiator {
  const { toFile, toFunctionName } = convert
  const convertPosition = <Position extends SourcePosition & { readonly original: SourcePosition | null }>(
    position: Position,
  ): Position => ({
    ...position,
    file: toFile(position.file),
    original: position.original && { ...position.original, file: toFile(position.original.file) },
  })
  return {
    frames:
      frames?.map((frame) => ({ ...convertPosition(frame), functionName: toFunctionName(frame.functionName) })) ?? null,
    loader: loader && {
      ...loader,
      file: toFile(loader.file),
      position: loader.position && convertPosition(loader.position),
    },
  }
}

/** Returns `path:line` in the original source or, without a source map, in the file itself. */
export function formatPathAndLine({ original, ...position }: Pick<CallFrame, 'file' | 'line' | 'original'>): string {
  const { file, line } = original ?? position
  return `${removeQuery(file)}:${line}`
}

/** Returns the path of a file of the panel without its query. */
export function removeQuery(file: string): string {
  return file.split(/[?#]/, 1)[0] ?? ''
}
