/** The consequences are for a caller that was written for the earlier side. */
export const differenceConsequences = [
  /** Nothing that the caller relies on changes. */
  'none',
  /** There is more than the caller knows of. */
  'more-data',
  /** The call fails, because the route is gone or refuses it. */
  'call-fails',
  /** A member that the caller reads may be absent. */
  'missing-value',
  /** The caller may read null. */
  'null-value',
  /** The caller reads a value of a type that it does not expect. */
  'wrong-type',
  /** The caller reads a value, or meets a kind of object, that it has no branch for. */
  'unhandled-value',
  /** The caller cannot parse the text or the bytes any more. */
  'unparsable',
  /** A number may lie outside of what the caller expects. */
  'out-of-range',
  /** The host may ignore or refuse what the caller sends. */
  'may-be-refused',
  /** One side does not show it, so there is nothing to rely on. */
  'unknown',
] as const
type Consequence = (typeof differenceConsequences)[number]

interface CompatibilityRule {
  readonly isBreaking: boolean
  readonly consequence: Consequence
}

const breaking = (consequence: Consequence): CompatibilityRule => ({ isBreaking: true, consequence })
const harmless = (consequence: Consequence = 'none'): CompatibilityRule => ({ isBreaking: false, consequence })

/** What a caller reads may become narrower, what it sends wider; the opposite breaks it. */
export const compatibilityRules = {
  'route-added': harmless('more-data'),
  'route-removed': breaking('call-fails'),
  'route-unrecorded': harmless('unknown'),
  'token-required': breaking('call-fails'),
  'token-dropped': harmless(),
  'media-type-changed': breaking('unparsable'),
  'error-code-added': harmless('more-data'),
  'error-code-removed': harmless(),
  'body-required': breaking('may-be-refused'),
  'body-dropped': breaking('may-be-refused'),
  'upload-changed': breaking('call-fails'),

  'response-shape-shown': harmless(),
  'response-shape-hidden': breaking('unknown'),
  // One side does not show it, or shows it only in what was recorded.
  'response-shape-unrecorded': harmless('unknown'),
  'response-type-changed': breaking('wrong-type'),
  'response-type-added': breaking('wrong-type'),
  'response-type-removed': harmless(),
  'response-null-added': breaking('null-value'),
  'response-null-removed': harmless(),
  'response-fraction-added': breaking('out-of-range'),
  'response-fraction-removed': harmless(),
  'response-limit-widened': breaking('out-of-range'),
  'response-limit-narrowed': harmless(),
  'response-value-added': breaking('unhandled-value'),
  'response-value-removed': harmless(),
  'response-values-opened': breaking('unhandled-value'),
  'response-values-closed': harmless(),
  'response-format-changed': breaking('unparsable'),
  'response-format-lost': breaking('unparsable'),
  'response-format-added': harmless(),
  'response-member-added': harmless('more-data'),
  'response-member-removed': breaking('missing-value'),
  'response-optional-member-removed': harmless('missing-value'),
  'response-member-optional': breaking('missing-value'),
  'response-member-required': harmless(),
  'response-dictionary-changed': breaking('missing-value'),
  'response-members-closed': harmless(),
  'response-members-opened': harmless('more-data'),
  'response-variant-added': breaking('unhandled-value'),
  'response-variant-removed': harmless(),

  'request-shape-shown': harmless('unknown'),
  'request-shape-hidden': harmless('unknown'),
  'request-shape-unrecorded': harmless('unknown'),
  'request-type-changed': breaking('may-be-refused'),
  'request-type-added': harmless(),
  'request-type-removed': breaking('may-be-refused'),
  'request-null-added': harmless(),
  'request-null-removed': breaking('may-be-refused'),
  'request-fraction-added': harmless(),
  'request-fraction-removed': breaking('may-be-refused'),
  'request-limit-widened': harmless(),
  'request-limit-narrowed': breaking('may-be-refused'),
  'request-value-added': harmless(),
  'request-value-removed': breaking('may-be-refused'),
  'request-values-opened': harmless(),
  'request-values-closed': breaking('may-be-refused'),
  'request-format-changed': breaking('may-be-refused'),
  'request-format-lost': harmless(),
  'request-format-added': breaking('may-be-refused'),
  'request-member-added': harmless('more-data'),
  'request-required-member-added': breaking('may-be-refused'),
  'request-member-removed': breaking('may-be-refused'),
  'request-member-optional': harmless(),
  'request-member-required': breaking('may-be-refused'),
  'request-dictionary-changed': breaking('may-be-refused'),
  'request-members-closed': breaking('may-be-refused'),
  'request-members-opened': harmless(),
  'request-variant-added': harmless(),
  'request-variant-removed': breaking('may-be-refused'),
} as const satisfies Record<string, CompatibilityRule>

export type CompatibilityRuleId = keyof typeof compatibilityRules
export const compatibilityRuleIds = Object.keys(compatibilityRules) as CompatibilityRuleId[]
