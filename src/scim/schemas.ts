// The description of the service for directories: schemas, types of resources, and what it supports (RFC 7643, 5 to 7).

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
export const SCIM_TYPE = 'application/scim+json'
export const MAX_PAGE = 200

type Json = Record<string, unknown>

const attribute = (name: string, description: string, more: Json = {}): Json => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})
const READ_ONLY = { mutability: 'readOnly' }
const EXACT = { caseExact: true }
const IMMUTABLE = { mutability: 'immutable' }

const USER_ATTRIBUTES = [
  attribute('userName', 'The name of the user in the directory. It identifies the person if it is an e-mail address.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('name', 'The parts of the name.', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The whole name.'),
      attribute('givenName', 'The given name.'),
      attribute('familyName', 'The family name.'),
    ],
  }),
  attribute('displayName', 'The name that the service shows.'),
  attribute('emails', 'The addresses. One is needed if userName is no e-mail address.', {
    type: 'complex',
    multiValued: true,
    required: true,
    subAttributes: [
      attribute('value', 'The address.', { required: true }),
      attribute('type', 'Its use, such as work.'),
      attribute('primary', 'Whether it is the first one.', { type: 'boolean' }),
    ],
  }),
  attribute('active', 'False: the person cannot sign in, and keys that act for them are refused.', {
    type: 'boolean',
    required: true,
  }),
  attribute('groups', 'The groups of the directory with this person.', {
    type: 'complex',
    multiValued: true,
    ...READ_ONLY,
    subAttributes: [
      attribute('value', 'The id of the group.', { ...READ_ONLY, ...EXACT }),
      attribute('$ref', 'The address of the group.', {
        type: 'reference',
        referenceTypes: ['Group'],
        ...READ_ONLY,
        ...EXACT,
      }),
      attribute('display', 'The name of the group.', READ_ONLY),
      attribute('type', 'Always direct.', { ...READ_ONLY, canonicalValues: ['direct'] }),
    ],
  }),
]

const GROUP_ATTRIBUTES = [
  attribute('displayName', 'The name of the group. Documents, connectors and personas name it.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('members', 'The users of the group. A group has no groups.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of the user.', { required: true, ...IMMUTABLE, ...EXACT }),
      attribute('$ref', 'The address of the user.', {
        type: 'reference',
        referenceTypes: ['User'],
        ...IMMUTABLE,
        ...EXACT,
      }),
      attribute('type', 'Always User.', { ...IMMUTABLE, canonicalValues: ['User'] }),
    ],
  }),
]

const meta = (resourceType: string, location: string) => ({ meta: { resourceType, location } })

export const listSchemas = (base: string): Json[] =>
  [
    { id: USER_SCHEMA, name: 'User', description: 'A person', attributes: USER_ATTRIBUTES },
    { id: GROUP_SCHEMA, name: 'Group', description: 'A group of people', attributes: GROUP_ATTRIBUTES },
  ].map((it) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...it,
    ...meta('Schema', `${base}/Schemas/${it.id}`),
  }))

export const listResourceTypes = (base: string): Json[] =>
  [
    { id: 'User', name: 'User', endpoint: '/Users', description: 'People', schema: USER_SCHEMA },
    { id: 'Group', name: 'Group', endpoint: '/Groups', description: 'Groups of people', schema: GROUP_SCHEMA },
  ].map((it) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...it,
    schemaExtensions: [],
    ...meta('ResourceType', `${base}/ResourceTypes/${it.id}`),
  }))

export const serviceProviderConfig = (base: string): Json => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_PAGE },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token that an administrator creates on the page /admin/scim.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  ...meta('ServiceProviderConfig', `${base}/ServiceProviderConfig`),
})

/** The answer to a request for a list. `startIndex` begins with 1. */
export const listResponse = (resources: readonly object[], totalResults: number, startIndex: number): Json => ({
  schemas: [LIST_SCHEMA],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
