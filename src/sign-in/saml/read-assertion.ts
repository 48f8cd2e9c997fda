// Reads an assertion whose signature was verified.
import {
  ASSERTION,
  attributeOf,
  childElements,
  childrenNamed,
  isNamed,
  textOf,
  type XmlElement,
  XmlFault,
} from './xml.ts'

export interface SubjectConfirmation {
  method: string
  recipient: string | null
  notBefore: string | null
  notOnOrAfter: string | null
  inResponseTo: string | null
}

export interface AssertionAttribute {
  name: string
  friendlyName: string | null
  values: string[]
}

/** Times are as the provider wrote them. */
export interface Assertion {
  id: string
  issueInstant: string
  issuer: string
  nameId: { value: string; format: string | null } | null
  confirmations: SubjectConfirmation[]
  /** Null: there are none. */
  conditions: { notBefore: string | null; notOnOrAfter: string | null; audiences: string[][] } | null
  sessionIndex: string | null
  sessionNotOnOrAfter: string | null
  attributes: AssertionAttribute[]
}

const MAX_ATTRIBUTES = 500

/** XmlFault. */
export function readAssertion(root: XmlElement): Assertion {
  if (!isNamed(root, ASSERTION, 'Assertion')) throw new XmlFault('The signed element is no assertion.')
  const subject = only(root, 'Subject')
  const [statement] = children(root, 'AuthnStatement')
  if (statement === undefined) throw new XmlFault('The assertion does not say that a person signed in.')
  const [issuer] = children(root, 'Issuer')
  return {
    id: attributeOf(root, 'ID') ?? '',
    issueInstant: attributeOf(root, 'IssueInstant') ?? '',
    issuer: issuer === undefined ? '' : textOf(issuer),
    nameId: readNameId(subject),
    confirmations: children(subject, 'SubjectConfirmation').map(readConfirmation),
    conditions: readConditions(root),
    sessionIndex: attributeOf(statement, 'SessionIndex'),
    sessionNotOnOrAfter: attributeOf(statement, 'SessionNotOnOrAfter'),
    attributes: readAttributes(root),
  }
}

const children = (parent: XmlElement, name: string): XmlElement[] => childrenNamed(parent, ASSERTION, name)

function only(parent: XmlElement, name: string): XmlElement {
  const [found, other] = children(parent, name)
  if (found === undefined || other !== undefined) throw new XmlFault(`The assertion has not exactly one ${name}.`)
  return found
}

function readNameId(subject: XmlElement): Assertion['nameId'] {
  const [nameId, other] = children(subject, 'NameID')
  if (other !== undefined) throw new XmlFault('The assertion has more than one NameID.')
  return nameId === undefined ? null : { value: textOf(nameId), format: attributeOf(nameId, 'Format') }
}

function readConfirmation(confirmation: XmlElement): SubjectConfirmation {
  const [data] = children(confirmation, 'SubjectConfirmationData')
  const read = (name: string) => (data === undefined ? null : attributeOf(data, name))
  return {
    method: attributeOf(confirmation, 'Method') ?? '',
    recipient: read('Recipient'),
    notBefore: read('NotBefore'),
    notOnOrAfter: read('NotOnOrAfter'),
    inResponseTo: read('InResponseTo'),
  }
}

/** A condition that is not known makes an assertion invalid. */
const CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

function readConditions(root: XmlElement): Assertion['conditions'] {
  const [conditions, other] = children(root, 'Conditions')
  if (conditions === undefined) return null
  if (other !== undefined) throw new XmlFault('The assertion has Conditions twice.')
  const unknown = childElements(conditions).find((it) => !CONDITIONS.includes(it.localName))
  if (unknown !== undefined) throw new XmlFault('The assertion has a condition that is not known.')
  return {
    notBefore: attributeOf(conditions, 'NotBefore'),
    notOnOrAfter: attributeOf(conditions, 'NotOnOrAfter'),
    audiences: children(conditions, 'AudienceRestriction').map((it) => children(it, 'Audience').map(textOf)),
  }
}

function readAttributes(root: XmlElement): AssertionAttribute[] {
  const attributes = children(root, 'AttributeStatement').flatMap((it) => children(it, 'Attribute'))
  if (attributes.length > MAX_ATTRIBUTES) throw new XmlFault(`There are more than ${MAX_ATTRIBUTES} attributes.`)
  return attributes.map((it) => ({
    name: attributeOf(it, 'Name') ?? '',
    friendlyName: attributeOf(it, 'FriendlyName'),
    values: children(it, 'AttributeValue').map(textOf),
  }))
}
