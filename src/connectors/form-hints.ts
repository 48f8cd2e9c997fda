// Hints for forms that are made from the JSON Schema of a configuration or a credential, as `.meta(…)` of a field.

/** A secret: forms mask it. */
export const SECRET = { writeOnly: true }
/** Forms leave it out: it is ignored, or another field says the same. */
export const HIDDEN = { 'x-hidden': true }
/** Forms ask for it, although another name of the same field may be sent instead. */
export const NEEDED = { 'x-required': true }
/** The effect of an absent value. The schema's own `default` is not used, because generated clients would send it. */
export const usually = (value: string | number | boolean) => ({ 'x-default': value })
