import { z } from 'zod'
import {
  allowedRouteSchema,
  allowModes,
  panelCallSummarySchema,
  panelCallSchema,
  panelNoteSchema,
  panelSourceSchema,
  panelStateSchema,
  panelWriteModes,
} from '../panel/panel.ts'
import { overrideRuleSchema, overridesStateSchema } from '../panel/overrides.ts'
import {
  defineBinaryCommandMethod,
  defineBinaryQueryMethod,
  defineCommandMethod,
  defineQueryMethod,
  defineTopic,
} from './method-definition.ts'
import { callerReportSchema } from '../panel/caller-report.ts'
import { sourcePositionSchema } from '../traffic/call-initiator.ts'

export const callerMethods = {
  /**
   * Reports who may call a route on the connected host, by the host's own data. For this the
   * template and the state of the interface are read, but the call itself is not sent.
   */
  'callers.who': defineQueryMethod(
    z.strictObject({ method: z.string().max(20), path: z.string().min(1).max(8000) }),
    callerReportSchema,
  ),
}

const emptySchema = z.strictObject({})
/** No body in the contract comes close to this size. */
const MAX_BODY_CHARS = 4_000_000

export const panelMethods = {
  'panel.get': defineQueryMethod(emptySchema, panelStateSchema),
  /** Replaces the open one. @throws PANEL_NOT_FOUND, PANEL_NO_INDEX, PANEL_NOT_LOOPBACK */
  'panel.open': defineCommandMethod(z.strictObject({ source: panelSourceSchema }), panelStateSchema),
  'panel.stop': defineCommandMethod(emptySchema, panelStateSchema),
  'panel.reload': defineCommandMethod(emptySchema, panelStateSchema),
  /** @throws READ_ONLY for `let-through` with a profile that may not write */
  'panel.configure': defineCommandMethod(
    z.strictObject({
      writes: z.enum(panelWriteModes).optional(),
      allowMode: z.enum(allowModes).optional(),
      mine: z.array(allowedRouteSchema).max(1000).optional(),
      /** Null selects the plugin id in the template. */
      pluginId: z.string().min(1).max(200).nullable().optional(),
    }),
    panelStateSchema,
  ),
  /**
   * Decides on a waiting write.
   * @param unasked means that the caller refuses the write itself, without asking a person
   * @throws ASK_UNKNOWN, and the errors of `operations.send`
   */
  'panel.decide': defineCommandMethod(
    z.strictObject({ id: z.string().max(100), send: z.boolean(), unasked: z.boolean().optional() }),
    emptySchema,
  ),
  /** Newest first. */
  'panel.recent': defineQueryMethod(emptySchema, z.strictObject({ sources: z.array(panelSourceSchema).max(20) })),
  'panel.forget': defineCommandMethod(z.strictObject({ source: panelSourceSchema }), emptySchema),
  /** Console output, errors and refusals after the note with the number `after`, oldest first. */
  'panel.notes': defineQueryMethod(
    z.strictObject({ after: z.number().int().nonnegative() }),
    z.strictObject({ notes: z.array(panelNoteSchema).max(1000), dropped: z.number().int().nonnegative() }),
  ),
  'panel.clearNotes': defineCommandMethod(emptySchema, emptySchema),
  /**
   * Makes one call like `host.api` in a plugin's panel, through the same policy, without overrides.
   * A write waits for `panel.decide`. Resolves with the value of `host.api` as JSON text; `cut`
   * if the response was too large, with its beginning.
   * @throws PATH_OUTSIDE for a path outside the base URL, BODY_NOT_HERE for a method without a
   * body, TOKEN_IN_REQUEST
   */
  'panel.callAs': defineBinaryCommandMethod(
    z.strictObject({
      pluginId: z.string().min(1).max(200),
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
      path: z.string().startsWith('/').max(8000),
      body: z.string().max(MAX_BODY_CHARS).nullable(),
    }),
    z.strictObject({ call: panelCallSchema, cut: z.boolean(), isFailure: z.boolean() }),
  ),
  /**
   * Returns the value that `host.api` gave the page that made this exchange, or would give for this
   * response, as JSON text. `isFailure` says that the value has an `error`.
   * @throws EXCHANGE_UNKNOWN, STILL_WAITING, BODY_NOT_KEPT
   */
  'panel.resolvedValue': defineBinaryQueryMethod(
    z.strictObject({ exchangeId: z.string().max(100) }),
    z.strictObject({ isFailure: z.boolean() }),
  ),
  /** Null if the call is unknown or no longer stored. */
  'panel.call': defineQueryMethod(
    z.strictObject({ exchangeId: z.string().max(100) }),
    z.strictObject({ call: panelCallSchema.nullable() }),
  ),
  /** Calls that are unknown or no longer stored are left out. */
  'panel.calls': defineQueryMethod(
    z.strictObject({ exchangeIds: z.array(z.string().max(100)).max(500) }),
    z.strictObject({ calls: z.array(panelCallSummarySchema) }),
  ),
  /**
   * Reads the file of the running panel that has this position: the original source as its source
   * map has it, or the file that the page runs. Without an original source the file is returned.
   * @param caller the opening of the panel that reported the position
   * @throws PANEL_CLOSED if another panel runs or none, SOURCE_UNKNOWN if there is no such file
   */
  'panel.source': defineBinaryQueryMethod(
    z.strictObject({ caller: z.string().max(100), position: sourcePositionSchema, isOriginal: z.boolean() }),
    z.strictObject({ position: sourcePositionSchema, isOriginal: z.boolean() }),
  ),
  /** The memory of the process of the panel's page; null in the browser, which hides it. */
  'panel.memory': defineQueryMethod(emptySchema, z.strictObject({ bytes: z.number().nonnegative().nullable() })),
  /** The path is null if no folder was chosen. @throws NOT_HERE in the browser */
  'panel.chooseFolder': defineCommandMethod(emptySchema, z.strictObject({ path: z.string().max(4000).nullable() })),
  /** @throws NOT_HERE in the browser */
  'panel.devTools': defineCommandMethod(emptySchema, emptySchema),
  'panel.overrides': defineQueryMethod(emptySchema, overridesStateSchema),
  /** Replaces all rules; they apply in this order. */
  'panel.saveOverrides': defineCommandMethod(
    z.strictObject({ rules: z.array(overrideRuleSchema).max(500) }),
    overridesStateSchema,
  ),
  /** An unsaved rule with a recorded response. @throws EXCHANGE_UNKNOWN, BODY_NOT_KEPT */
  'panel.ruleFrom': defineQueryMethod(z.strictObject({ seq: z.number().int().positive() }), overrideRuleSchema),
}

export const panelTopics = {
  'panel.changed': defineTopic(panelStateSchema),
  /** At most one message is sent per 100 ms. */
  'panel.noted': defineTopic(z.strictObject({ newest: z.number().int().nonnegative() })),
  /** More is known of the code that made these calls. */
  'panel.initiatorsChanged': defineTopic(z.strictObject({ exchangeIds: z.array(z.string().max(100)) })),
  /** The rules changed in this program or in the file. */
  'panel.overridesChanged': defineTopic(overridesStateSchema),
}
