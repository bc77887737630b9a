import { join } from 'node:path';
import { readDocuments } from '../../bundle/inline-documents';
import * as generated from '../gql/graphql';

const documents = [...readDocuments(join(__dirname, '..')).values()].map((json) => JSON.parse(json));

/** The order of the fragments says nothing. */
const nameOf = ({ name }: { name: { value: string } }) => name.value;
const toComparable = ({ definitions }: { definitions: { name: { value: string } }[] }) => ({
  name: definitions[0] && nameOf(definitions[0]),
  definitions: Object.fromEntries(definitions.map((definition) => [nameOf(definition), definition])),
});

describe('the documents that a build puts into its scripts', () => {
  it('are those that the code generator makes, each with the fragments that it needs', () => {
    const expected = Object.entries(generated)
      .filter(([name]) => /(Document|FragmentDoc)$/.test(name))
      .map(([, document]) => toComparable(JSON.parse(JSON.stringify(document))));
    expect(expected.length).toBeGreaterThan(100);
    const byName = <T extends { name?: string | undefined }>(all: T[]) =>
      all.sort((one, other) => String(one.name).localeCompare(String(other.name)));
    expect(byName(documents.map(toComparable))).toEqual(byName(expected));
  });
});
