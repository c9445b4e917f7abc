package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// This SDK has no users and permissions, and cannot send their tokens.
func accessScenarios() []scenario {
	all := []scenario{{"access.aad", inDatabase(accessAad)}}
	if os.Getenv("ORRERY_READONLY_KEY") != "" {
		all = append(all, scenario{"access.readonly_key", inDatabase(accessReadonlyKey)})
	}
	return all
}

// sameContainer is the container "items" of the database, through another client.
func sameContainer(other *azcosmos.Client, database *azcosmos.DatabaseClient) (*azcosmos.ContainerClient, error) {
	return other.NewContainer(database.ID(), "items")
}

func countItems(ctx context.Context, items *azcosmos.ContainerClient) (int, error) {
	count := 0
	pager := items.NewQueryItemsPager("SELECT * FROM c", key("a"), nil)
	for pager.More() {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return 0, err
		}
		count += len(page.Items)
	}
	return count, nil
}

func accessReadonlyKey(ctx context.Context, database *azcosmos.DatabaseClient) error {
	items, _, err := newContainer(ctx, database, "items", nil, "/pk")
	if err != nil {
		return err
	}
	if _, err := items.CreateItem(ctx, key("a"), []byte(`{"id":"1","pk":"a"}`), nil); err != nil {
		return err
	}
	other, err := newClient(os.Getenv("ORRERY_READONLY_KEY"))
	if err != nil {
		return err
	}
	reader, err := sameContainer(other, database)
	if err != nil {
		return err
	}
	read, err := reader.ReadItem(ctx, key("a"), "1", nil)
	if err != nil {
		return err
	}
	count, err := countItems(ctx, reader)
	if err != nil {
		return err
	}
	_, created := reader.CreateItem(ctx, key("a"), []byte(`{"id":"2","pk":"a"}`), nil)
	_, deleted := reader.Delete(ctx, nil)
	return first(expect("read", read.RawResponse.StatusCode, http.StatusOK), expect("found", count, 1),
		refused(created, http.StatusForbidden), refused(deleted, http.StatusForbidden))
}

// emulatorCredential is what test programs for emulators use: the account key in place of a signature.
type emulatorCredential struct{}

func (emulatorCredential) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	expiry := time.Now().Add(time.Hour)
	claims := fmt.Sprintf(`{"aud":"https://localhost.localhost","oid":"tester","exp":%d}`, expiry.Unix())
	token := ""
	for n, part := range []string{`{"alg":"RS256","typ":"JWT"}`, claims, os.Getenv("ORRERY_KEY")} {
		if n > 0 {
			token += "."
		}
		token += base64.RawURLEncoding.EncodeToString([]byte(part))
	}
	return azcore.AccessToken{Token: token, ExpiresOn: expiry}, nil
}

func accessAad(ctx context.Context, database *azcosmos.DatabaseClient) error {
	if _, _, err := newContainer(ctx, database, "items", nil, "/pk"); err != nil {
		return err
	}
	options, err := clientOptions(-1)
	if err != nil {
		return err
	}
	other, err := azcosmos.NewClient(os.Getenv("ORRERY_ENDPOINT"), emulatorCredential{}, options)
	if err != nil {
		return err
	}
	own, err := sameContainer(other, database)
	if err != nil {
		return err
	}
	if _, err := own.CreateItem(ctx, key("a"), []byte(`{"id":"1","pk":"a"}`), nil); err != nil {
		return err
	}
	if _, err := own.ReadItem(ctx, key("a"), "1", nil); err != nil {
		return err
	}
	count, err := countItems(ctx, own)
	if err != nil {
		return err
	}
	_, created := other.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "never"}, nil)
	_, deleted := own.Delete(ctx, nil)
	return first(expect("found", count, 1), refused(created, http.StatusForbidden), refused(deleted, http.StatusForbidden))
}
